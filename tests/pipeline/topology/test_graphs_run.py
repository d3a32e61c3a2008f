"""Drawn graphs: what the checker of topologies accepts answers a caller; all else is refused with the stage."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from pipeline.deployment.loading import Deployment, Edge, StageDeployment
from pipeline.errors import ConfigError
from pipeline.topology.config import OutputType, PipelineConfig, StagePipelineConfig
from pipeline.types.chunks import TextChunk
from pipeline.types.turn_request import TurnRequest
from tests.pipeline.topology.test_topology_runs import ANSWER, AR, answer, profile_of, text_of

DRAWN, ANSWERED = 400, 25  # graphs, and how many of them run at the least


async def one(inbox: AsyncIterator[Any], request: TurnRequest) -> AsyncGenerator[Any, None]:
    async for each in inbox:
        yield each


async def two(first: AsyncIterator[Any], second: AsyncIterator[Any], request: TurnRequest) -> AsyncGenerator[Any, None]:
    async for each in _joined(first, second):
        yield each


async def three(
    first: AsyncIterator[Any], second: AsyncIterator[Any], third: AsyncIterator[Any], request: TurnRequest
) -> AsyncGenerator[Any, None]:
    async for each in _joined(first, second, third):
        yield each


async def _joined(*inboxes: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
    """Reads one to its end, then the next: whoever else writes meanwhile must not wait for ever."""
    texts = [text for inbox in inboxes async for each in inbox if (text := text_of(each))]
    if texts:
        yield TextChunk(ANSWER)


async def behind(inbox: AsyncIterator[Any], request: TurnRequest) -> AsyncGenerator[Any, None]:
    """Of a stage that is not asked: it is given what another makes."""
    async for each in inbox:
        assert not isinstance(each, TurnRequest)
        yield each


MADE: tuple[OutputType, ...] = ("text", "text", "latent", "audio")
JOINS: dict[int, Callable[..., Any]] = {0: one, 1: one, 2: two, 3: three}


def drawn(dice: random.Random) -> tuple[StagePipelineConfig, ...]:
    """Some stages, each behind up to three others; most graphs have something that could not be."""
    stages: list[StagePipelineConfig] = []
    if dice.random() < 0.7:
        stages.append(StagePipelineConfig(0, "asr", AR, (), "text", "asr", requires_multimodal_data=True))
    size = dice.randint(1, 5)
    while len(stages) < size:
        at = len(stages)
        earlier = range(at if dice.random() < 0.97 else at + 2)
        sources = tuple(dice.sample(earlier, min(len(earlier), dice.choice((0, 1, 1, 1, 2, 2, 3)))))
        is_asked = not sources or (stages and stages[0].is_recogniser and 0 in sources)
        process = JOINS[len(sources)] if is_asked or len(sources) > 1 else behind
        made: OutputType = dice.choice(MADE)
        final = made != "latent" and dice.random() < 0.6
        stages.append(
            StagePipelineConfig(
                at, f"stage{at}", AR, sources, made, f"stage{at}",
                final_output=final, final_output_type=made if final else None,
                hears=dice.random() < 0.3, custom_process_input_func=process,
            )
        )  # fmt: skip
    return tuple(stages)


@pytest.mark.parametrize("seed", range(5))
async def test_an_accepted_graph_answers_and_one_that_could_not_is_refused_with_the_stage(seed: int) -> None:
    dice, answered, seen = random.Random(seed), 0, set[str]()
    for _ in range(DRAWN):
        stages = drawn(dice)
        try:
            topology = PipelineConfig("drawn", stages[0].model_arch, stages)
        except ConfigError as refused:
            assert all("stage" in fault for fault in refused.faults), refused.faults
            continue
        edge = Edge(1, 1)
        deployment = Deployment(1, tuple(StageDeployment(stage.stage_id, edge=edge) for stage in stages))
        done, seconds = await answer(profile_of(topology), deployment)
        assert done.status == "completed" and (seconds > 0) == ("audio" in topology.modalities), stages
        assert done.text.startswith(ANSWER), stages
        answered += 1
        seen |= {"by sound"} if topology.answers_sound else {"by words"}
        seen |= {"joins"} if any(len(stage.input_sources) > 1 for stage in stages) else set()
        seen |= {"no recogniser"} if topology.recogniser is None else set()
    assert answered >= ANSWERED and seen == {"by sound", "by words", "joins", "no recogniser"}


async def test_two_ways_to_one_stage_do_not_wait_for_each_other_for_ever() -> None:
    """Of a hundred chunks each, one may wait: the stage that joins them reads the longer way first."""
    asr = StagePipelineConfig(0, "asr", AR, (), "text", "asr", requires_multimodal_data=True)
    source = StagePipelineConfig(1, "source", AR, (0,), "text", "source", custom_process_input_func=many)
    longer = replace(source, stage_id=2, model_stage="longer", model_arch="longer", input_sources=(1,))
    longer = replace(longer, custom_process_input_func=one)
    joins = StagePipelineConfig(
        3, "joins", AR, (2, 1), "text", "joins",
        final_output=True, final_output_type="text", custom_process_input_func=two,
    )  # fmt: skip
    topology = PipelineConfig("diamond", "joins", (asr, source, longer, joins))
    deployment = Deployment(1, tuple(StageDeployment(at, edge=Edge(1, 1)) for at in range(4)))
    async with asyncio.timeout(60):
        done, _ = await answer(profile_of(topology), deployment)
    assert (done.status, done.text) == ("completed", ANSWER)


async def many(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[TextChunk, None]:
    async for question in inbox:
        for _ in range(100 if question.response_options.max_tokens != 0 else 0):
            yield TextChunk("word ")


def test_a_processor_that_lacks_an_inbox_is_refused_by_name() -> None:
    asr = StagePipelineConfig(0, "asr", AR, (), "text", "asr", requires_multimodal_data=True)
    first = StagePipelineConfig(1, "first", AR, (0,), "text", "first", custom_process_input_func=one)
    writes = StagePipelineConfig(
        2, "writes", AR, (0, 1), "text", "writes",
        final_output=True, final_output_type="text", custom_process_input_func=one,
    )  # fmt: skip
    with pytest.raises(ConfigError) as refused:
        profile_of(PipelineConfig("lacks", "asr", (asr, first, writes)))
    assert refused.value.faults == ["stage 2 (writes): one has 1 inboxes, and 2 input_sources fill one each"]
