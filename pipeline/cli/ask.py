"""`aura-pipeline ask`: what AURA answers to a question, a video, or both, and how long that takes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass

from pipeline.context.window import WindowLimits, cut, is_due
from pipeline.engines.aura.prompt import multimodal_prompt
from pipeline.engines.base import Engine
from pipeline.media.video_chunk import VideoChunk
from pipeline.types.chunks import MultimodalPrompt, TextChunk
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest


@dataclass(frozen=True, slots=True)
class AskResult:
    """
    Attributes:
        text: Empty: it was silent.
        seconds: Of video that were seen, and `remembered` when it answered.
        read_ms: Per second of video, each read when it was over.
        first_ms: From the question to the first words.
        taken_ms: From the question to the end.
    """

    text: str
    seconds: int
    remembered: int
    read_ms: tuple[float, ...]
    first_ms: float
    taken_ms: float

    def __str__(self) -> str:
        said = f"first words after {self.first_ms:.0f} ms, {self.taken_ms:.0f} ms in all"
        if not self.read_ms:
            return said
        middle = sorted(self.read_ms)[len(self.read_ms) // 2]
        video = f"{self.seconds} s of video ({self.remembered} remembered), {middle:.0f} ms for a second (median)"
        return f"{video}; {said}"


async def ask(
    question: str,
    film: Iterable[VideoChunk],
    aura: Engine[MultimodalPrompt, TextChunk],
    limits: WindowLimits,
    emit: Callable[[str], None],
) -> AskResult:
    """Show it a film second by second, as a camera would, and ask at the end.

    Args:
        question: What a person said; empty: only what is seen may be worth an answer.
        emit: Takes each piece of the answer.

    Raises:
        EngineError: The engine failed.
    """
    clock = asyncio.get_running_loop().time
    history, read_ms = History(), []
    for clip in film:
        history = history.with_video_turn(clip)
        if is_due(history, limits):
            history = history.cut(cut(history, limits))
        began = clock()
        async for _ in _answer(history, aura, limits, most=0):
            """Only read."""
        read_ms.append(1_000 * (clock() - began))
    if question:
        history = history.with_item(Item("question", "user", question))
    began, first_ms, told = clock(), 0.0, []
    async for word in _answer(history, aura, limits, most=None):
        first_ms = first_ms or 1_000 * (clock() - began)
        told.append(word.text)
        emit(word.text)
    taken_ms = 1_000 * (clock() - began)
    return AskResult(
        "".join(told), len(read_ms), len(history.video_turns), tuple(read_ms), first_ms or taken_ms, taken_ms
    )


async def _answer(
    history: History, aura: Engine[MultimodalPrompt, TextChunk], limits: WindowLimits, most: int | None
) -> AsyncGenerator[TextChunk, None]:
    response_options = ResponseOptions(max_tokens=most, cache_salt="ask")
    async with aclosing(
        aura.generate("ask", _once(multimodal_prompt(TurnRequest(history, response_options), limits)))
    ) as words:
        async for word in words:
            yield word


async def _once(prompt: MultimodalPrompt) -> AsyncGenerator[MultimodalPrompt, None]:
    yield prompt
