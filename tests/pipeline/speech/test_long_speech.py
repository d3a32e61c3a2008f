"""Long speech costs no more at its end than short speech, with a recogniser that takes longer the more it reads."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
import pytest

from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.newest_prompt import NewestPrompt
from pipeline.speech.speech_window import LULL_MS
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.vad_frontend import FRAME, Pcm
from pipeline.speech.voice_activity import FRAME_MS
from pipeline.types.chunks import AsrInput, Transcript

WORD_FRAMES = 10
PAUSE_FRAMES = 8  # of silence, until voice activity detection calls it a pause
ENCODES = 0.6  # of the time of a pass; only then it can be dropped
LEAST_S, SILENT_S = 10, 4  # a pass reads so much at least, and so much silence behind its words: as Whisper's


@dataclass
class SlowRecogniser:
    """Writes the words whose sound it is given, and takes `pass_s` for the shortest window.

    Attributes:
        passes: How much each was to read, and whether it was dropped.
    """

    pass_s: float
    passes: list[tuple[int, bool]] = field(default_factory=list)

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        async with BackgroundTasks() as tasks:
            windows = NewestPrompt(prompts)
            tasks.start(f"{request_id}:windows", windows.follow)
            while (window := await windows.take()) is not None:
                seconds = self.pass_s * max(LEAST_S, window.audio_end_ms / 1000 + SILENT_S) / LEAST_S
                await asyncio.sleep(ENCODES * seconds)
                dropped = bool(not window.settles and windows.next and windows.next.settles)
                self.passes.append((window.audio_end_ms, dropped))
                if not dropped:
                    await asyncio.sleep((1 - ENCODES) * seconds)
                    yield Transcript(" ".join(written(window.pcm)), window.audio_end_ms, window.settles)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...


def word(number: int) -> Pcm:
    return np.full(FRAME, (number + 1) / 1000, np.float32)


def written(pcm: Pcm) -> list[str]:
    """The words in it: each sounds at a loudness of its own."""
    numbers = [round(float(level) * 1000) - 1 for level in pcm[::FRAME] if level > 0]
    return [f"w{number}" for number in dict.fromkeys(numbers)]


async def seconds_to_words(recogniser: SlowRecogniser, sentences: Sequence[int], lull_frames: int) -> float:
    """From the last word to the last hypothesis, of sentences of so many words with a pause between any two."""
    transcriber, clock, said = StreamingTranscriber("en", 800), asyncio.get_running_loop().time, 0

    async def sounds(frame: Pcm, *, voiced: bool) -> None:
        await asyncio.sleep(FRAME_MS / 1000)
        transcriber.add(frame, voiced=voiced)

    async def listens() -> None:
        async for _ in transcriber.listen(recogniser, "r"):
            """Only when it ends is of interest."""

    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(listens())
        ended = 0.0
        for words in sentences:
            transcriber.resume()
            for _ in range(words):
                for _ in range(WORD_FRAMES):
                    await sounds(word(said), voiced=True)
                said += 1
            ended = clock()
            for number in range(lull_frames):
                await sounds(np.zeros(FRAME, np.float32), voiced=False)
                if number == PAUSE_FRAMES - 1:
                    transcriber.pause(PAUSE_FRAMES * FRAME_MS)
        transcriber.commit()
        transcriber.settle()
        await listening
    assert transcriber.newest.text.split() == [f"w{number}" for number in range(said)], "no word is lost or said twice"
    return clock() - ended


@pytest.mark.parametrize("pass_s", [0.1, 0.5, 0.8, 1.2, 1.6])
async def test_the_words_of_long_speech_come_as_soon_behind_its_end_as_those_of_short_speech(pass_s: float) -> None:
    long, short = list[float](), list[float]()
    for seed in range(6):
        draws = random.Random(seed)
        sentences, lull_frames = [draws.randint(5, 11) for _ in range(8)], draws.choice((10, 12, 16))
        long.append(await seconds_to_words(SlowRecogniser(pass_s), sentences, lull_frames))
        short.append(await seconds_to_words(SlowRecogniser(pass_s), sentences[-1:], lull_frames))
    assert fmean(long) <= 1.3 * fmean(short)


async def test_a_pass_over_unfinished_speech_does_not_delay_the_one_at_its_end() -> None:
    recogniser = SlowRecogniser(2.0)
    seconds = await seconds_to_words(recogniser, [4], PAUSE_FRAMES)
    began = (800 + 1_200) / 1000  # a pass that is dropped once it has encoded
    assert recogniser.passes == [(800, True), (1_280 + LULL_MS, False)]
    assert seconds == pytest.approx(began + 2.0 - 1.28)


async def test_a_lull_that_went_by_while_the_recogniser_was_at_work_is_read_up_to_later() -> None:
    recogniser = SlowRecogniser(2.0)
    await seconds_to_words(recogniser, [9] * 8, 12)
    read = [ms for ms, dropped in recogniser.passes if not dropped]
    assert max(read) < 12_000, "of 26 s"
