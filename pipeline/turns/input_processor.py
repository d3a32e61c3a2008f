"""Chooses what makes a stage's prompts of what the stage before it hands on. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

from pipeline.deployment.loading import WHOLE, Edge
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp, ramp_of
from pipeline.topology.config import StagePipelineConfig
from pipeline.turns.stage import InputProcessor
from pipeline.types.turn_request import TurnRequest

U = TypeVar("U")


def input_processor(source: StagePipelineConfig, stage: StagePipelineConfig, edge: Edge) -> InputProcessor[Any, Any]:
    """The stage's own way to read; else its source's way to hand on, in chunks or as a whole; else token only.

    Raises:
        ConfigError: The chunks that the edge asks for cannot be.
    """
    if own := stage.custom_process_input_func:
        return own if edge.window_size == 1 else partial(_gathering, own, edge.window_size)
    whole = edge.window_size == WHOLE and not edge.chunks
    in_chunks = source.async_chunk_process_next_stage_input_func
    if in_chunks and not (whole and source.custom_process_next_stage_input_func):
        return partial(in_chunks, ramp=chunks_into(edge))
    process: InputProcessor[Any, Any] | None = (
        source.custom_process_next_stage_input_func or stage.sync_process_input_func
    )
    assert process, f"{stage.model_stage} has no processor"
    return process


def chunks_into(edge: Edge) -> ChunkRamp:
    """The chunks of codec frames that an edge asks for, if it has any cut.

    Raises:
        ConfigError: They cannot be.
    """
    window = {} if edge.window_size == WHOLE else {"codec_chunk_frames": edge.window_size}
    return ramp_of(edge.chunks or window)


async def _gathering(
    process: InputProcessor[Any, Any], window_size: int, inbox: AsyncIterator[Any], request: TurnRequest
) -> AsyncGenerator[Any, None]:
    units = gathered(inbox, window_size)
    prompts = process(units, request)
    async with aclosing(units), aclosing(prompts):
        async for prompt in prompts:
            yield prompt


async def gathered(inbox: AsyncIterator[U], window_size: int) -> AsyncGenerator[U, None]:
    """The same units, so many at once: none leaves before the last of its window is there, or the end."""
    waiting: list[U] = []
    async for unit in inbox:
        waiting.append(unit)
        if len(waiting) == window_size:
            for each in waiting:
                yield each
            waiting.clear()
    for each in waiting:
        yield each
