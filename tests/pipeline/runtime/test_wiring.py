"""Profiles of graphs: a stage that reads what no engine makes is refused with its name, before an engine starts."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.deployment.loading import StageDeployment
from pipeline.deployment.schema import EngineKeys
from pipeline.engines.base import Engine
from pipeline.errors import ConfigError
from pipeline.runtime.engine_registry import EngineKind
from pipeline.runtime.profiles import Profile
from pipeline.topology.aura_omni import AURA_OMNI_PIPELINE
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.types.chunks import MOST_ROWS, AudioChunk, Clause, CodecChunk, HiddenStates, TextChunk
from pipeline.types.turn_request import TurnRequest

AR = StageExecutionType.LLM_AR


async def asked(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[TurnRequest, None]:
    async for each in inbox:
        yield each


async def spoken(
    inbox: AsyncIterator[TextChunk | HiddenStates], request: TurnRequest
) -> AsyncGenerator[HiddenStates, None]:
    async for each in inbox:
        if isinstance(each, HiddenStates):
            yield each


async def words_only(inbox: AsyncIterator[TextChunk], request: TurnRequest) -> AsyncGenerator[Clause, None]:
    async for each in inbox:
        yield Clause(each.text, "")


async def never(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
    raise AssertionError("no engine is opened")


def faults(makes: Any, reads: Callable[..., Any], *, latent: bool = True, wanted: type = HiddenStates) -> list[str]:
    """What is wrong with a thinker whose engine makes that, and a talker that reads it so."""
    thinker = StagePipelineConfig(
        0, "thinker", AR, (), "latent" if latent else "text", "Thinker",
        final_output=True, final_output_type="text", hears=True, custom_process_input_func=asked,
    )  # fmt: skip
    talker = StagePipelineConfig(
        1, "talker", AR, (0,), "audio", "Talker",
        final_output=True, final_output_type="audio", custom_process_input_func=reads,
    )  # fmt: skip
    engines = {
        "Thinker": EngineKind(never, EngineKeys(), reads=TurnRequest, makes=makes),
        "Talker": EngineKind(never, EngineKeys(), reads=wanted, makes=AudioChunk),
    }
    try:
        Profile(PipelineConfig("omni", "Thinker", (thinker, talker)), Path("none"), engines)
    except ConfigError as refused:
        return refused.faults
    return []


class Thought:
    """What a model of a package hands on in place of hidden states."""


def test_words_with_hidden_states_or_with_a_type_of_the_models_own_are_handed_on() -> None:
    assert faults(TextChunk | HiddenStates, spoken) == []

    async def heard(inbox: AsyncIterator[TextChunk | Thought], request: TurnRequest) -> AsyncGenerator[Thought, None]:
        async for each in inbox:
            if isinstance(each, Thought):
                yield each

    heard.__annotations__ |= {"inbox": AsyncIterator[TextChunk | Thought], "return": AsyncGenerator[Thought, None]}
    assert faults(TextChunk | Thought, heard, wanted=Thought) == []


def test_hidden_states_of_an_engine_that_has_none_are_refused_with_the_stage() -> None:
    assert faults(TextChunk, spoken, latent=False) == [
        "stage 1 (talker): spoken reads HiddenStates, and the engine of thinker hands on none"
    ]
    (fault,) = faults(TextChunk, spoken)
    assert fault == "stage 0 (thinker): the engine of Thinker makes TextChunk, and has no hidden states to hand on"


def test_who_is_handed_words_and_hidden_states_says_that_it_takes_both() -> None:
    told = faults(TextChunk | HiddenStates, words_only, wanted=Clause)
    assert told == ["stage 1 (talker): words_only takes TextChunk, and is given HiddenStates | TextChunk"]


def plain(inbox, request):  # type: ignore[no-untyped-def]
    return []


def generator(inbox, request):  # type: ignore[no-untyped-def]
    yield None


async def coroutine(inbox, request):  # type: ignore[no-untyped-def]
    return None


async def one(inbox):  # type: ignore[no-untyped-def]
    yield None


async def three(inbox, request, more):  # type: ignore[no-untyped-def]
    yield None


async def by_name(inbox, *, request):  # type: ignore[no-untyped-def]
    yield None


HERE = "tests.pipeline.runtime.test_wiring"


@pytest.mark.parametrize(
    ("process", "fault"),
    [
        (plain, f"plain of {HERE} is a plain function, not an async generator (`async def` with `yield`)"),
        (generator, f"generator of {HERE} is a plain function, not an async generator (`async def` with `yield`)"),
        (coroutine, f"coroutine of {HERE} is a coroutine function, not an async generator (`async def` with `yield`)"),
        (one, f"one of {HERE} takes (inbox), and is given 2 arguments: inbox, request (too many positional arguments)"),
        (three, f"three of {HERE} takes (inbox, request, more), and is given 2 arguments: inbox, request ("),
        (by_name, f"by_name of {HERE} takes (inbox, *, request), and is given 2 arguments: inbox, request ("),
    ],
)
def test_what_cannot_be_called_as_a_processor_is_refused_with_its_name_and_module(process: Any, fault: str) -> None:
    (told,) = faults(TextChunk | HiddenStates, process)
    assert told.startswith(f"stage 1 (talker): {fault}")


def test_a_function_that_says_it_returns_an_async_generator_is_a_processor() -> None:
    def through(
        inbox: AsyncIterator[TextChunk | HiddenStates], request: TurnRequest, ramp: int = 0
    ) -> AsyncGenerator[HiddenStates, None]:
        return spoken(inbox, request)

    assert faults(TextChunk | HiddenStates, through) == []


def test_what_hands_on_in_chunks_is_given_their_sizes_too() -> None:
    async def deaf(inbox: AsyncIterator[CodecChunk], request: TurnRequest) -> AsyncGenerator[CodecChunk, None]:
        async for each in inbox:
            yield each

    topology = AURA_OMNI_PIPELINE
    stages = tuple(
        replace(stage, async_chunk_process_next_stage_input_func=deaf)
        if stage.async_chunk_process_next_stage_input_func
        else stage
        for stage in topology.stages
    )
    kinds = {
        stage.model_arch: EngineKind(never, EngineKeys(), computes=stage.execution_type) for stage in topology.stages
    }
    Profile(topology, Path("none"), kinds)
    with pytest.raises(ConfigError) as refused:
        Profile(replace(topology, stages=stages), Path("none"), kinds)
    (told,) = refused.value.faults
    assert "takes (inbox: " in told and "and is given 3 arguments: inbox, request, ramp= (" in told


def test_an_engine_whose_kind_of_output_is_another_is_refused() -> None:
    assert faults(TextChunk | HiddenStates, spoken, latent=False)[0] == (
        "stage 0 (thinker): the engine of Thinker makes HiddenStates | TextChunk, not TextChunk"
    )
    assert faults(HiddenStates, spoken)[0] == (
        "stage 0 (thinker): the engine of Thinker makes HiddenStates, and beside latents TextChunk is wanted"
    )


@pytest.mark.parametrize("rows", [0, MOST_ROWS + 1])
def test_a_chunk_of_hidden_states_is_bounded(rows: int) -> None:
    with pytest.raises(ValueError, match="1 to 512 are a chunk"):
        HiddenStates("prefill", tuple(range(rows)), {"24": np.zeros((rows, 8), np.float32)})
