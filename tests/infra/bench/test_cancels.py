"""What the measurement of cancels takes for the moment at which an engine is idle."""

import asyncio
from collections.abc import Mapping

import pytest

from infra.bench.base.engines import POLL_S, until_idle
from infra.bench.base.figures import Figure
from infra.bench.latency.cancels import MODEL, VOICE, Cancelled, figures
from pipeline.runtime.profiles import PROFILES
from pipeline.topology.config import PipelineConfig

pytestmark = pytest.mark.anyio


async def test_an_engine_is_idle_when_it_says_so_and_stays_so() -> None:
    said = [
        {"aura": 1, "tts": 1},
        {"aura": 0, "tts": 1},
        {"aura": 1, "tts": 1},  # it began again
        {"aura": 1, "tts": 0},
        {"aura": 0, "tts": 0},
    ]
    clock = asyncio.get_running_loop().time
    asked: list[float] = []

    async def ask() -> Mapping[str, int]:
        asked.append(clock())
        return said[len(asked) - 1]

    idle_at = await until_idle(ask)
    assert len(asked) == 5
    assert 0 <= idle_at["tts"] - asked[3] < POLL_S
    assert 0 <= idle_at["aura"] - asked[4] < POLL_S


@pytest.mark.parametrize("pipeline", [each.topology for each in PROFILES.values()], ids=[*PROFILES])
def test_the_language_model_and_the_voice_of_every_pipeline_are_measured(pipeline: PipelineConfig) -> None:
    stages = {stage.model_stage for stage in pipeline.stages}
    (writer,), (voice,) = stages & {*MODEL}, stages & {*VOICE}
    told = figures([Cancelled(0.01, {writer: 0.2, voice: 0.3})], [Cancelled(0.02, {writer: 0.4, voice: 0.0})])
    assert [*told.values()] == [[0.01, 0.02], [0.4], [0.2], [0.3]]


def test_of_an_engine_that_was_never_at_work_nothing_is_told() -> None:
    told = figures([Cancelled(0.01, {"tts": 0.3})], [Cancelled(0.02, {})])
    assert [Figure.of(seconds).count for seconds in told.values()] == [2, 1]
