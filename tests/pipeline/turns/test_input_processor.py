"""What is between two stages, as a deployment says it: all at once, so many units at a time, or in chunks."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pipeline.deployment.loading import Deployment, Edge, StageDeployment
from pipeline.engines.fake import speaks, writes
from pipeline.errors import ConfigError
from pipeline.runtime.orchestrator import chain_of
from pipeline.topology.config import PipelineConfig, StageExecutionType, StagePipelineConfig
from pipeline.topology.processors.handover import (
    talker2code2wav_async_chunk,
    talker2code2wav_full_payload,
    talker2code2wav_token_only,
)
from pipeline.turns.input_processor import NO_FRAMES, gathered, input_processor, without_inputs
from pipeline.turns.stage import processor_name
from pipeline.types.chunks import CODEBOOKS, CodecChunk, TextChunk
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.scenario import ASR, AURA, TTS, Line, to_chat, to_sentences

TALKER = StagePipelineConfig(
    2,
    "talker",
    StageExecutionType.LLM_AR,
    (1,),
    "latent",
    "Talker",
    custom_process_next_stage_input_func=talker2code2wav_full_payload,
    async_chunk_process_next_stage_input_func=talker2code2wav_async_chunk,
)
CODE2WAV = StagePipelineConfig(
    3,
    "code2wav",
    StageExecutionType.LLM_GENERATION,
    (2,),
    "audio",
    "Code2Wav",
    sync_process_input_func=talker2code2wav_token_only,
)


class Source:
    """Units, and how many of them have been asked for."""

    def __init__(self, *units: Any) -> None:
        self.units = units
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[Any]:
        for unit in self.units:
            self.taken += 1
            yield unit


def frames(count: int) -> Source:
    return Source(*(CodecChunk(np.full((1, CODEBOOKS), at, np.int16)) for at in range(count)))


async def sizes(edge: Edge, source: StagePipelineConfig = TALKER, made: int = 7) -> list[int]:
    process = input_processor(source, CODE2WAV, edge)
    return [len(chunk.frames) async for chunk in process(frames(made).__aiter__(), TurnRequest())]


@pytest.mark.parametrize(
    ("edge", "chunks"),
    [
        (Edge(window_size=-1), [7]),
        (Edge(window_size=3), [3, 3, 1]),
        (Edge(window_size=-1, chunks={"codec_chunk_ramp": [1, 2]}), [1, 2, 2, 2]),
        (Edge(window_size=3, chunks={"initial_codec_chunk_frames": 1, "codec_chunk_frames": 2}), [1, 2, 2, 2]),
    ],
)
async def test_codec_frames_are_handed_on_as_a_whole_by_windows_or_in_the_connectors_chunks(
    edge: Edge, chunks: list[int]
) -> None:
    assert await sizes(edge) == chunks


@pytest.mark.parametrize(
    ("source", "edge"),
    [
        (TALKER, Edge(token_only=True)),
        (replace(TALKER, custom_process_next_stage_input_func=None), Edge(token_only=True)),
        (replace(TALKER, custom_process_next_stage_input_func=None), Edge()),
    ],
)
async def test_tokens_only_are_one_piece_of_all_frames_with_all_that_is_said(
    source: StagePipelineConfig, edge: Edge
) -> None:
    process = input_processor(source, CODE2WAV, edge)
    made = Source(
        *(
            CodecChunk(np.full((1, CODEBOOKS), at, np.int16), text, ends=at == 1)
            for at, text in enumerate(("A", " b", ""))
        )
    )
    (whole,) = [codes async for codes in process(made.__aiter__(), TurnRequest())]
    assert (whole.text, whole.ends) == ("A b", True)
    assert whole.frames.tolist() == [[at] * CODEBOOKS for at in range(3)]


@pytest.mark.parametrize(
    ("source", "edge", "name"),
    [
        (TALKER, Edge(window_size=-1), "talker2code2wav_full_payload"),
        (TALKER, Edge(window_size=3), "talker2code2wav_async_chunk"),
        (TALKER, Edge(token_only=True), "talker2code2wav_token_only"),
        (
            replace(TALKER, custom_process_next_stage_input_func=None),
            Edge(window_size=-1),
            "talker2code2wav_token_only",
        ),
    ],
)
def test_a_processor_keeps_its_name_whatever_an_edge_puts_around_it(
    source: StagePipelineConfig, edge: Edge, name: str
) -> None:
    process = input_processor(source, CODE2WAV, edge)
    assert processor_name(process) == processor_name(without_inputs(process, [0])) == name
    gathering = input_processor(AURA, TTS, Edge(window_size=-1))
    assert processor_name(without_inputs(gathering, [0])) == "to_sentences"


async def test_tokens_only_lose_no_text_that_has_no_sound() -> None:
    process = input_processor(TALKER, CODE2WAV, Edge(token_only=True))
    (whole,) = [codes async for codes in process(Source(CodecChunk(NO_FRAMES, "🎉")).__aiter__(), TurnRequest())]
    assert (whole.text, len(whole.frames)) == ("🎉", 0)


async def test_who_only_knows_chunks_hands_on_a_whole_in_sentences() -> None:
    cutting = replace(TALKER, custom_process_next_stage_input_func=None)
    source = frames(7)
    process = input_processor(cutting, replace(CODE2WAV, sync_process_input_func=None), Edge())
    assert [(len(chunk.frames), source.taken) async for chunk in process(source.__aiter__(), TurnRequest())] == [(7, 7)]


def test_chunks_that_run_dry_are_refused() -> None:
    with pytest.raises(ConfigError, match="runs dry"):
        input_processor(TALKER, CODE2WAV, Edge(chunks={"codec_chunk_ramp": [1, 50]}))


@pytest.mark.parametrize(("window_size", "taken"), [(1, [1, 2, 3, 4, 5]), (2, [2, 2, 4, 4, 5]), (-1, [5] * 5)])
async def test_a_window_of_units_leaves_when_its_last_one_is_there(window_size: int, taken: list[int]) -> None:
    source = Source(*"abcde")
    assert [(unit, source.taken) async for unit in gathered(source.__aiter__(), window_size)] == list(
        zip("abcde", taken, strict=True)
    )


@pytest.mark.parametrize(("window_size", "taken"), [(1, [1, 2]), (-1, [2, 2])])
async def test_text_reaches_the_voice_as_it_is_written_or_once_it_is_complete(
    window_size: int, taken: list[int]
) -> None:
    source = Source(TextChunk("One."), TextChunk("Two."))
    process = input_processor(AURA, TTS, Edge(window_size))
    assert [source.taken async for _ in process(source.__aiter__(), TurnRequest())] == taken


def test_the_way_into_a_stage_and_the_bound_behind_it_are_those_of_its_two_edges() -> None:
    topology = PipelineConfig("scripted", "Scripted", (ASR, AURA, TTS))
    edges = Edge(), Edge(1, 2), Edge(1, 3)
    deployment = Deployment(1, tuple(StageDeployment(at, edge=edge) for at, edge in enumerate(edges)))
    chain = chain_of(topology, deployment, {"aura": writes("Yes."), "tts": speaks()})
    assert [(stage.spec, stage.inflight) for stage in chain] == [(AURA, 3), (TTS, 1)]
    processes: list[object] = [stage.process for stage in chain]
    assert processes == [to_chat, to_sentences]


@pytest.mark.parametrize(("prefills_ahead", "stages"), [(True, 1), (False, 0)])
def test_a_window_of_everything_before_the_model_has_nothing_read_ahead(prefills_ahead: bool, stages: int) -> None:
    line = replace(Line().stages(), prefills_ahead=prefills_ahead)
    assert len(line.route(ResponseOptions(max_tokens=0))) == stages
    assert len(line.route(ResponseOptions())) == 2
