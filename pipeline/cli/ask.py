"""`aura-pipeline ask`: what AURA answers to a question, a video, or both, and how long that takes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass

from pipeline.context.window import Limits, cut, is_due
from pipeline.engines.base import Engine
from pipeline.media.video_chunk import Clip
from pipeline.topology.processors.aura import scene
from pipeline.types.chunks import Scene, Text
from pipeline.types.history import History, Item
from pipeline.types.turn_request import Asked, Wants


@dataclass(frozen=True, slots=True)
class Answered:
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
    question: str, film: Iterable[Clip], aura: Engine[Scene, Text], limits: Limits, tell: Callable[[str], None]
) -> Answered:
    """Show it a film second by second, as a camera would, and ask at the end.

    Args:
        question: What a person said; empty: only what is seen may be worth an answer.
        tell: Takes each piece of the answer.

    Raises:
        EngineError: The engine failed.
    """
    clock = asyncio.get_running_loop().time
    history, read_ms = History(), []
    for clip in film:
        history = history.with_round(clip)
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
        tell(word.text)
    taken_ms = 1_000 * (clock() - began)
    return Answered("".join(told), len(read_ms), len(history.rounds), tuple(read_ms), first_ms or taken_ms, taken_ms)


async def _answer(
    history: History, aura: Engine[Scene, Text], limits: Limits, most: int | None
) -> AsyncGenerator[Text, None]:
    wants = Wants(max_tokens=most, cache_salt="ask")
    async with aclosing(aura.generate("ask", _once(scene(Asked(history, wants), limits)))) as words:
        async for word in words:
            yield word


async def _once(prompt: Scene) -> AsyncGenerator[Scene, None]:
    yield prompt
