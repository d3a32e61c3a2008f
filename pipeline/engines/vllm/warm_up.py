"""An engine's first work, done before anybody waits for it: kernels are compiled and memory is taken then."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any, TypeVar

from pipeline.aio.tasks import first
from pipeline.engines.base import Engine
from pipeline.engines.vllm.cuda_graphs import GRAPHS
from pipeline.models.shared.engine_io import PromptChunk, PromptEngine, RequestSampling

E = TypeVar("E", bound=Engine[Any, Any])
P = TypeVar("P")

NAME = "warm-up"
IN_A_ROW = 8  # lengths of prompts
IN_FRONT = 64  # tokens of a prompt beside those that are counted, at the most


async def warmed(engine: E, warm: Callable[[], Awaitable[None]]) -> E:
    """The engine, when `warm` has ended; it is closed if that fails.

    Raises:
        EngineError: It could not do its first work.
    """
    try:
        await warm()
    except BaseException:
        await engine.aclose()
        raise
    return engine


async def read(requests: PromptEngine, sampling: RequestSampling, prompt_chunks: Iterable[PromptChunk]) -> None:
    """One after the other."""
    for number, chunk in enumerate(prompt_chunks):
        async with aclosing(requests.answer(f"{NAME}.{number}", sampling, chunk)) as pieces:
            async for _ in pieces:
                """What is written is of no interest."""


async def heard_together(engine: Engine[P, Any], prompt: P, most_chunks: int, most: int) -> None:
    """One answer, then two at once, four, and so on up to `most`: a batch may need kernels that a single row does not.

    Raises:
        EngineError: An answer failed.
    """
    sizes = [*(1 << power for power in range((most - 1).bit_length())), most]
    for size in sizes:
        try:
            async with asyncio.TaskGroup() as tasks:
                for number in range(size):
                    tasks.create_task(heard(engine, prompt, most_chunks, f"{NAME}.{size}.{number}"))
        except ExceptionGroup as failures:
            raise first(failures) from failures


def lengths(most: int) -> Iterator[int]:
    """Tokens of prompts with which experts have each of their kernels made, up to `most`.

    They have one for each range of tokens: round 32, 48, 64, 96 and so on. Beyond the largest graph Triton makes
    another one where the number of rows is no multiple of 16. So eight lengths in a row are read there, far enough
    below the round number that with what stands in front of them a prompt is still read in one step.
    """
    largest_graph = max(GRAPHS["cudagraph_capture_sizes"])
    for power in range(most.bit_length()):
        for length in (32 << power, 48 << power):
            if length > most:
                return
            last = length - IN_FRONT
            yield from range(last - IN_A_ROW + 1, last + 1) if length > largest_graph else (length,)


async def heard(engine: Engine[P, Any], prompt: P, most_chunks: int, name: str = NAME) -> None:
    """An answer's first chunks; the rest is given up."""

    async def once() -> AsyncGenerator[P, None]:
        yield prompt

    async with aclosing(once()) as prompts, aclosing(engine.generate(name, prompts)) as chunks:
        async for _ in chunks:
            most_chunks -= 1
            if not most_chunks:
                break
