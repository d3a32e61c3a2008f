"""Chooses what makes a stage's prompts of what the stage before it hands on. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import AsyncExitStack, aclosing
from functools import partial
from typing import Any, TypeVar

import numpy as np

from pipeline.deployment.loading import WHOLE, Edge
from pipeline.engines.code2wav.chunk_ramp import WHOLE as UNCUT
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp, ramp_of
from pipeline.topology.config import StagePipelineConfig
from pipeline.topology.processors.handover import codes_of
from pipeline.turns.stage import InputProcessor
from pipeline.types.chunks import CODEBOOKS, CodecChunk
from pipeline.types.turn_request import TurnRequest

U = TypeVar("U")
NO_FRAMES = np.zeros((0, CODEBOOKS), np.int16)


def input_processor(source: StagePipelineConfig | None, stage: StagePipelineConfig, edge: Edge) -> InputProcessor[Any]:
    """The stage's own way to read; else its source's way to hand on: in chunks, or as a whole; else token only.

    A topology has one of them at least, and the first where a stage reads none or several. Where an edge asks for a
    whole and the source only knows chunks, these are whole sentences, once the last one is complete.

    Raises:
        ConfigError: The chunks that the edge asks for cannot be.
    """
    if own := stage.custom_process_input_func:
        return own if edge.window_size == 1 or not stage.input_sources else partial(_gathering, own, edge.window_size)
    assert source, f"{stage.model_stage} has no processor"
    is_whole = not edge.cuts
    payload, tokens = source.custom_process_next_stage_input_func, stage.sync_process_input_func
    in_chunks = source.async_chunk_process_next_stage_input_func
    if in_chunks and not is_whole:
        return partial(in_chunks, ramp=chunks_into(edge))
    if tokens and (edge.token_only or not payload):
        return partial(_as_tokens, tokens)
    if payload:
        whole: InputProcessor[Any] = payload
        return whole
    assert in_chunks, f"{stage.model_stage} has no processor"
    return partial(_gathering, partial(in_chunks, ramp=UNCUT), WHOLE)


def chunks_into(edge: Edge) -> ChunkRamp:
    """The chunks of codec frames that an edge asks for, if it has any cut.

    Raises:
        ConfigError: They cannot be.
    """
    return ramp_of(edge.cuts)


def without_inputs(process: InputProcessor[Any], missing: Collection[int]) -> InputProcessor[Any]:
    """Returns `process` for where optional stages that it reads are missing: nothing is handed to it by them.

    Args:
        missing: Which of its inboxes stay empty.
    """
    return partial(_given_nothing, process, missing) if missing else process


async def _given_nothing(
    process: InputProcessor[Any], missing: Collection[int], *inboxes_and_request: Any
) -> AsyncGenerator[Any, None]:
    prompts = process(*(_nothing() if at in missing else each for at, each in enumerate(inboxes_and_request)))
    async with aclosing(prompts):
        async for prompt in prompts:
            yield prompt


async def _nothing() -> AsyncGenerator[Any, None]:
    nothing: tuple[Any, ...] = ()
    for chunk in nothing:
        yield chunk


async def _gathering(
    process: InputProcessor[Any], window_size: int, *inboxes_and_request: Any
) -> AsyncGenerator[Any, None]:
    *inboxes, request = inboxes_and_request
    async with AsyncExitStack() as closing:
        windows = [await closing.enter_async_context(aclosing(gathered(each, window_size))) for each in inboxes]
        prompts = await closing.enter_async_context(aclosing(process(*windows, request)))
        async for prompt in prompts:
            yield prompt


async def _as_tokens(
    tokens: InputProcessor[Any], inbox: AsyncIterator[CodecChunk], request: TurnRequest
) -> AsyncGenerator[CodecChunk, None]:
    """Makes one prompt of the flat ids of all frames. What is spoken in them is told with the first."""
    said: list[str] = []

    async def noted() -> AsyncGenerator[CodecChunk, None]:
        async for codes in inbox:
            said.append(codes.text)
            yield codes

    frames = noted()
    lists = tokens(frames, request)
    async with aclosing(frames), aclosing(lists):
        async for ids in lists:
            whole = codes_of(ids)
            yield CodecChunk(whole.frames, "".join(said), whole.ends)
            said.clear()
    if unspoken := "".join(said):
        yield CodecChunk(NO_FRAMES, unspoken, ends=True)


async def gathered(inbox: AsyncIterator[U], window_size: int) -> AsyncGenerator[U, None]:
    """Passes the units on, `window_size` at once: none leaves before the last of its window is there, or the end."""
    waiting: list[U] = []
    async for unit in inbox:
        waiting.append(unit)
        if len(waiting) == window_size:
            for each in waiting:
                yield each
            waiting.clear()
    for each in waiting:
        yield each
