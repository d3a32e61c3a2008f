"""A command opens the stages that it needs, as `serve` does, and runs turns through them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.asking.stages import OfflineStages, ignore, run_offline, some_stages
from pipeline.deployment.loading import StageDeployment
from pipeline.engines.base import Engine
from pipeline.engines.fake import FakeEngine, hears, speaks, tone
from pipeline.errors import EngineError
from pipeline.runtime.profiles import PROFILES, Profile
from pipeline.types.chunks import AudioChunk, Clause, TextChunk, TurnId
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.scenario import Line

TURN = TurnId("offline", 0)


@dataclass(slots=True)
class Openings:
    """Opens the same engine for every stage, and notes with what."""

    engine: Engine[Any, Any]
    stages: list[tuple[StageDeployment, int]] = field(default_factory=list)

    async def open(self, stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        self.stages.append((stage, max_sessions))
        return self.engine

    def profile(self, name: str) -> Profile:
        engines = {arch: replace(kind, open=self.open) for arch, kind in PROFILES[name].engines.items()}
        return replace(PROFILES[name], engines=engines)


def saying(text: str) -> TurnRequest:
    return TurnRequest(response_options=ResponseOptions(say=text))


async def test_a_voice_alone_is_opened_for_one_caller() -> None:
    openings = Openings(speaks())
    async with some_stages(openings.profile("embedded"), Path("none"), {"tts": {}}) as stages:
        assert [stage.spec.model_stage for stage in stages.answer] == ["tts"]
        assert (stages.recogniser, dict(stages.seconds)) == (None, {"tts": 0.0})
    ((stage, sessions),) = openings.stages
    assert (stage.stage_id, stage.max_batch_size, sessions) == (3, 1, 1)


async def test_a_recogniser_alone_is_told_what_the_command_says() -> None:
    openings = Openings(hears("so"))
    told = {"asr": {"model": "mine", "language": "German"}}
    async with some_stages(openings.profile("vllm"), Path("none"), told) as stages:
        assert stages.recogniser and (stages.prefill, stages.answer) == ((), ())
    ((stage, _),) = openings.stages
    assert stage.engine_args["model"] == "mine" and stage.engine_args["language"] == "German"
    assert stage.engine_args["max_model_len"] == 4_096, "the rest is as the profile's own file says"
    assert "gpu_memory_utilization" not in stage.engine_args, "nobody else is on its GPU"
    assert stage.sampling == {}, "it draws as its checkpoint says"


async def test_the_model_that_writes_may_draw_otherwise() -> None:
    openings = Openings(hears("so"))
    async with some_stages(openings.profile("vllm"), Path("none"), {"aura": {}}, {"temperature": 0.25}) as stages:
        assert [stage.spec.model_stage for stage in stages.prefill] == ["aura"]
    ((stage, _),) = openings.stages
    assert stage.sampling["temperature"] == 0.25
    assert (stage.sampling["max_tokens"], stage.sampling["seed"]) == (256, None)


async def test_words_and_sound_are_handed_on_as_they_are_made() -> None:
    chunks = list[object]()
    request = saying("Hi there.")
    stages = Line(tts=speaks(ms_per_word=10)).stages().route(request.response_options)
    await run_offline(TURN, request, stages, chunks.append)
    assert chunks == [TextChunk("Hi there."), AudioChunk(tone(20), "Hi there.")]


def test_of_a_whole_pipeline_the_voice_does_not_read_ahead() -> None:
    stages = OfflineStages.of(Line().stages())
    assert [stage.spec.model_stage for stage in stages.prefill] == ["aura"]
    assert [stage.spec.model_stage for stage in stages.answer] == ["aura", "tts"]


async def test_what_was_made_before_a_stage_fails_is_handed_on_and_the_stage_named() -> None:
    def script(clause: Clause) -> Iterator[tuple[float, AudioChunk | EngineError]]:
        yield 0.1, AudioChunk(b"\1\0")
        yield 0.1, EngineError("tts", "out of memory")

    chunks = list[object]()
    stages = Line(tts=FakeEngine(script)).stages().route(ResponseOptions(say="Hi."))
    with pytest.raises(EngineError, match="tts: out of memory"):
        await run_offline(TURN, saying("Hi."), stages, chunks.append)
    assert chunks == [TextChunk("Hi."), AudioChunk(b"\1\0")]


async def test_whoever_takes_the_chunks_may_fail_too() -> None:
    def full(chunk: object) -> None:
        raise OSError("no space left")

    line = Line()
    with pytest.raises(OSError, match="no space left"):
        await run_offline(TURN, saying("Hi."), line.stages().route(ResponseOptions(say="Hi.")), full)
    await run_offline(TURN, saying("Hi."), line.stages().route(ResponseOptions(say="Hi.")), ignore)
    assert [clause.text for clause in line.tts.prompts] == ["Hi."]
