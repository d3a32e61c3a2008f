"""What is said in a sound, heard piece by piece as if it were being spoken."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from pipeline.engines.base import Engine
from pipeline.errors import RequestError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.segmentation import Pcm, parts
from pipeline.types.chunks import AsrInput, Transcript

PIECE_S = 2  # between two passes, as the official package streams
LONGEST_S = 26  # of one utterance; about as long as a live one may get


@dataclass(frozen=True, slots=True)
class TranscribeResult:
    """Tells what was heard, and how long that took.

    Attributes:
        text: All that was said; the words of one utterance a line.
        language: Those that were heard, by their English names.
        sound_s: Of the whole sound.
        taken_s: For all passes.
        tail_s: From the end of each utterance's sound to its words, the longest.
    """

    text: str
    language: str
    sound_s: float
    taken_s: float
    tail_s: float

    @property
    def real_time_factor(self) -> float:
        """Is how many seconds of work a second of sound takes."""
        return self.taken_s / self.sound_s

    def __str__(self) -> str:
        return (
            f"{self.sound_s:.1f} s of sound{f' in {self.language}' if self.language else ''}, words at most "
            f"{self.tail_s * 1000:.0f} ms after its end, real-time factor {self.real_time_factor:.2f}"
        )


async def transcribe(
    pcm: Pcm, language: str | None, engine: Engine[AsrInput, Transcript], emit: Callable[[str], None]
) -> TranscribeResult:
    """Hears a sound, one utterance after the other.

    Args:
        pcm: float32, 16 kHz mono; of any length, it is cut where it is quietest.
        language: ISO 639-1 code, or None to detect it.
        emit: Is told the words of each utterance.

    Raises:
        RequestError: There is no sound.
        EngineError: The recogniser failed.
    """
    if not len(pcm):
        raise RequestError("invalid_value", "file: there is no sound in it", "file")
    clock = asyncio.get_running_loop().time
    began, tails, said, languages = clock(), [0.0], list[str](), dict[str, None]()
    for number, part in enumerate(parts(pcm, LONGEST_S)):
        heard = asyncio.Semaphore(1)
        windows = _windows(part, language, heard)
        transcripts = engine.generate(f"transcribe.{number}", windows)
        request = clock()
        async with aclosing(windows), aclosing(transcripts):
            async for transcript in transcripts:
                if transcript.settles:
                    tails.append(clock() - request)
                    said.append(transcript.text)
                    languages |= {transcript.language: None} if transcript.language else {}
                    emit(transcript.text)
                request = clock()
                heard.release()
    return TranscribeResult("\n".join(said), ", ".join(languages), len(pcm) / SPEECH_RATE, clock() - began, max(tails))


async def _windows(part: Pcm, language: str | None, heard: asyncio.Semaphore) -> AsyncGenerator[AsrInput, None]:
    """Yields each when the one before has been heard: what is skipped while somebody speaks would be missed here."""
    for end in range(PIECE_S * SPEECH_RATE, len(part), PIECE_S * SPEECH_RATE):
        await heard.acquire()
        yield AsrInput(part[:end], language, False)
    await heard.acquire()
    yield AsrInput(part, language, True)
