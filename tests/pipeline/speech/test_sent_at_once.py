"""Sound that is sent faster than it was spoken is heard in windows that every recogniser takes, and no word is lost."""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from pipeline.errors import EngineError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.speech.speech_window import FULL_WINDOW_MS, LONG_WINDOW_MS, LONGEST_WINDOW_MS
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.vad_frontend import FRAME, Pcm
from pipeline.types.chunks import AsrInput, Transcript

WORD_FRAMES, GAP_FRAMES = 12, 4
WORD_MS = (WORD_FRAMES + GAP_FRAMES) * 32


@dataclass
class BoundedRecogniser:
    """Writes the words whose sound it is given whole, and refuses what is longer than a recogniser must take.

    Attributes:
        fails: Numbers of the windows that it fails to read.
        windows: What it was given.
    """

    fails: tuple[int, ...] = ()
    windows: list[AsrInput] = field(default_factory=list)

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        async for window in prompts:
            self.windows.append(window)
            if window.audio_end_ms > LONGEST_WINDOW_MS:
                raise EngineError("asr", f"{window.audio_end_ms} ms of sound at once")
            await asyncio.sleep(0.2)
            if len(self.windows) in self.fails:
                raise EngineError("asr", "a pass failed")
            yield Transcript(" ".join(written(window.pcm)), window.audio_end_ms, window.settles)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...


def word(number: int) -> Pcm:
    return np.full(WORD_FRAMES * FRAME, (number + 1) / 1000, np.float32)


def written(pcm: Pcm) -> list[str]:
    """Each word sounds at a loudness of its own; of one that was cut nothing can be made out."""
    levels, counts = np.unique(np.round(pcm * 1000).astype(int), return_counts=True)
    found = dict(zip(levels.tolist(), counts.tolist(), strict=True))
    return [f"w{level - 1}" if count == WORD_FRAMES * FRAME else "?" for level, count in found.items() if level]


def spoken(words: int) -> Pcm:
    gap = np.zeros(GAP_FRAMES * FRAME, np.float32)
    return np.concatenate([each for number in range(words) for each in (word(number), gap)])


async def heard(pcm: Pcm, recogniser: BoundedRecogniser, *, lulls: bool, speed: float) -> StreamingTranscriber:
    """It comes so many times as fast as it was spoken, and then the commit."""
    transcriber = StreamingTranscriber("en", 800)

    async def listens() -> None:
        async for _ in transcriber.listen(recogniser, "r"):
            """Only the end is of interest."""

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(listens())
        transcriber.resume()
        for start in range(0, len(pcm), FRAME):
            frame = pcm[start : start + FRAME]
            transcriber.add(frame, voiced=bool(frame.any()) or not lulls)
            if speed < math.inf:
                await asyncio.sleep(FRAME / SPEECH_RATE / speed)
        transcriber.commit()
        transcriber.settle()
    return transcriber


@pytest.mark.parametrize(("lulls", "speed"), [(True, math.inf), (False, math.inf), (True, 100), (True, 10)])
async def test_four_minutes_that_are_sent_at_once_are_heard_in_windows_that_a_recogniser_takes(
    lulls: bool, speed: float
) -> None:
    words, recogniser = 250_000 // WORD_MS, BoundedRecogniser()
    transcriber = await heard(spoken(words), recogniser, lulls=lulls, speed=speed)
    assert transcriber.error is None
    assert transcriber.newest.text.split() == [f"w{number}" for number in range(words)], "all, in order, none cut"
    assert max(window.audio_end_ms for window in recogniser.windows) <= LONGEST_WINDOW_MS


async def test_it_is_cut_where_it_is_quietest_and_each_part_settles() -> None:
    recogniser = BoundedRecogniser()
    await heard(spoken(120), recogniser, lulls=False, speed=math.inf)
    *cut, last = recogniser.windows
    assert all(window.settles and LONG_WINDOW_MS <= window.audio_end_ms <= FULL_WINDOW_MS for window in cut)
    assert all(not window.pcm[-SPEECH_RATE // 100 :].any() for window in cut), "between two words"
    assert sum(window.audio_end_ms for window in (*cut, last)) == 120 * WORD_MS, "and nothing was read twice"


async def test_one_pass_of_many_that_fails_is_made_again() -> None:
    recogniser = BoundedRecogniser(fails=(1, 4))
    transcriber = await heard(spoken(240), recogniser, lulls=True, speed=100)
    assert transcriber.newest.text.split() == [f"w{number}" for number in range(240)]


async def test_one_that_fails_before_more_than_a_minute_of_sound_costs_none_of_it() -> None:
    recogniser, transcriber = BoundedRecogniser(fails=(1,)), StreamingTranscriber("en", 800)

    async def listens() -> None:
        async for _ in transcriber.listen(recogniser, "r"):
            """Only the end is of interest."""

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(listens())
        transcriber.add(spoken(240), voiced=True)
        await asyncio.sleep(1)
        transcriber.commit()
    assert transcriber.newest.text.split() == [f"w{number}" for number in range(240)]
