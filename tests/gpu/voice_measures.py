"""What is asked of the Talker's engine; each function returns the rows of one table."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any, TypeVar

from pipeline.types.chunks import FRAME_S
from tests.gpu.sections import Row
from tests.gpu.voice_speaking import Heard, Voice, clauses, spread

T = TypeVar("T")

STEPS = ("to_engine", "to_schedule", "prefill_and_frame", "to_caller")


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured.

    Attributes:
        batches: Sentences at once, all of the same length.
        callers: Callers at once, who have one sentence spoken after the other.
        frames: Of a sentence of a batch.
        sentence: Fewest and most frames of a caller's sentence.
        video_turns: Sentences of a caller who is alone; of many, each has fewer.
        seconds: Within which callers begin.
    """

    batches: tuple[int, ...] = (1, 4, 8, 16, 32)
    callers: tuple[int, ...] = (1, 4, 8, 16, 32)
    frames: int = 120
    sentence: tuple[int, int] = (25, 60)
    video_turns: int = 24
    seconds: float = 0.3


TINY = Extent((1, 2), (1, 2), 6, (3, 5), 2, 0.1)


async def frames(voice: Voice, extent: Extent) -> list[Row]:
    """From the first frame to the last, when all of a batch are asked for together."""
    rows: list[Row] = []
    for batch in extent.batches:
        heard = await together(batch, lambda _: voice.hear(extent.frames))
        seconds = max(each.at[-1] for each in heard) - min(each.request for each in heard)
        row: Row = {"batch": batch, "ms_a_frame": median(each.frame_ms for each in heard)}
        row["worst_gap_ms"] = max(1000 * (b - a) for each in heard for a, b in pairwise(each.at))
        rows.append(row | {"audio_s_a_second": batch * extent.frames * FRAME_S / seconds})
    return rows


async def first_frames(voice: Voice, extent: Extent) -> list[Row]:
    """Where the time goes between a text and its first frame, when as many come at once: medians, ms.

    `to_engine` is the front end, and the rest of the engine's current step; `to_schedule` the wait for room in a step;
    `to_caller` the way of the frame back.
    """
    rows: list[Row] = []
    for batch in extent.callers:
        steps: list[tuple[float, ...]] = []
        heard: list[Heard] = []
        for i in range(max(extent.video_turns // 2, 2)):
            names = [f"first-{batch}-{i}-{k}" for k in range(batch)]
            new = await together(batch, partial(_named, voice, names))
            heard += new
            for name, each in zip(names, new, strict=True):
                noted = voice.noting.steps[f"{name}.0"]
                times = (each.request, noted.queued, noted.scheduled, noted.first, each.at[0])
                steps.append(tuple(1000 * (b - a) for a, b in pairwise(times)))
        row: Row = {"at_once": batch, **spread([each.first_ms for each in heard])}
        rows.append(row | {name: median(each) for name, each in zip(STEPS, zip(*steps, strict=True), strict=True)})
    return rows


async def closed_loop(voice: Voice, extent: Extent) -> list[Row]:
    """Text → first codes, of callers who ask for the next sentence when the last one has been made."""
    rows: list[Row] = []
    for callers in extent.callers:
        heard = [each for caller in await looped(callers, extent, voice.hear) for each in caller]
        span = max(each.at[-1] for each in heard) - min(each.request for each in heard)
        made = sum(len(each.at) for each in heard)
        row: Row = {"callers": callers, "sentences": len(heard), **spread([each.first_ms for each in heard])}
        row["ms_a_frame"] = median(each.frame_ms for each in heard)
        rows.append(row | {"audio_s_a_second": made * FRAME_S / span})
    return rows


async def streamed(voice: Voice, extent: Extent) -> list[Row]:
    """A frame's cost when the text comes in pieces, of one frame a word, against the same text at once."""
    rows: list[Row] = []
    words = 40 if extent.frames > 40 else extent.frames
    for batch in extent.callers[:3]:
        for pieces in (words, 8, 4, 1):
            heard = await together(batch, partial(_in_pieces, voice, words, pieces))
            rows.append({"batch": batch, "words_a_clause": pieces, "ms_a_frame": median(h.frame_ms for h in heard)})
    return rows


async def abort(voice: Voice, extent: Extent) -> list[Row]:
    """From the moment at which a listener leaves until the engine has dropped the request."""
    rows: list[Row] = []
    for others in (0, extent.callers[-1] - 1):
        ms: list[float] = []
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(voice.hear(extent.frames), name=f"beside {i}") for i in range(others)]
            for _ in range(max(extent.video_turns // 2, 2)):
                ms.append(await _leave(voice, min(5, extent.frames // 2)))
            for task in beside:
                await task
        rows.append({"others": others, **spread(ms)})
    return rows


async def _named(voice: Voice, names: list[str], i: int) -> Heard:
    return await voice.hear(3, name=names[i])


async def _in_pieces(voice: Voice, words: int, words_a_clause: int, _: int) -> Heard:
    """It goes on for a little longer than its text, which would begin another sentence otherwise."""
    return await voice.hear(words + 5, words=words, clause_words=words_a_clause)


async def _leave(voice: Voice, after: int) -> float:
    loop = asyncio.get_running_loop()
    left = loop.time()
    async with aclosing(voice.speak(clauses(12, 12), 120)) as chunks:
        async for _ in chunks:
            after -= 1
            if not after:
                break
        left = loop.time()
    return 1000 * (loop.time() - left)


async def together(count: int, ask: Callable[[int], Coroutine[Any, Any, T]]) -> list[T]:
    async with asyncio.TaskGroup() as tasks:
        request = [tasks.create_task(ask(i), name=f"caller {i}") for i in range(count)]
    return [task.result() for task in request]


async def looped(callers: int, extent: Extent, hear: Callable[[int], Coroutine[Any, Any, T]]) -> list[list[T]]:
    """Each caller's sentences, of seeded lengths; they begin one after the other."""

    async def caller(i: int) -> list[T]:
        dice = random.Random(i)
        await asyncio.sleep(dice.uniform(0, extent.seconds) * (callers > 1))
        video_turns = max(extent.video_turns * 2 // (1 + callers), min(extent.video_turns, 8))
        return [await hear(dice.randint(*extent.sentence)) for _ in range(video_turns)]

    return await together(callers, caller)
