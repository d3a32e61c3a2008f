"""The voice of the embedded profile: hibari, English, on one CPU thread."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.blocking_worker import BlockingWorker
from pipeline.engines.hibari.speakable_text import pieces
from pipeline.errors import ConfigError, EngineError
from pipeline.media.sample_rates import VOICE_RATE
from pipeline.types.chunks import AudioChunk, Clause

log = logging.getLogger(__name__)

STAGE = "tts"
VOICES = ("heart",)  # the one whose weights are inside the package; nothing is fetched while it speaks
QUIET = 10 ** (-50 / 20)  # below -50 dB of full scale there is only the model's own noise
LEAD_MS = 20  # silence kept in front of the first word
SLOWEST, FASTEST = 0.5, 2.0  # what the model was made for

_CLOSING = "\"'”’)]"


class HibariEngine:
    """`Engine[Clause, AudioChunk]`: one chunk a clause, so that it is known where each clause ends.

    A voice that it does not have is spoken with the one that it has.
    """

    def __init__(self, voice: Any) -> None:
        self.voices = VOICES
        self.voice_languages = ("en",)
        self.speeds = (SLOWEST, FASTEST)
        self._voice = voice
        self._worker = BlockingWorker("hibari")

    @staticmethod
    async def open() -> "HibariEngine":
        """Ready to speak: everything that is slow the first time has been done.

        Raises:
            ConfigError: The package is not installed, or incomplete.
        """
        loader = BlockingWorker("hibari-loader")
        try:
            return HibariEngine(await loader.run(_load))
        finally:
            await loader.aclose()

    async def generate(self, request_id: str, prompts: AsyncIterator[Clause]) -> AsyncGenerator[AudioChunk, None]:
        async for clause in prompts:
            pcm = [await self._speak(piece, clause.speed) for piece in pieces(clause.text)]
            yield AudioChunk(b"".join(pcm), clause.text)

    async def busy(self) -> int:
        return self._worker.running

    async def aclose(self) -> None:
        await self._worker.aclose()

    async def _speak(self, piece: str, speed: float) -> bytes:
        """In steps of some ten milliseconds, so that a cancelled request ends soon."""
        pace = min(max(speed, SLOWEST), FASTEST)
        try:
            spelt: list[str] = await self._worker.run(partial(self._voice.phonemize, piece))
            sounds = [await self._worker.run(partial(self._voice.from_phonemes, each, pace, 0)) for each in spelt]
            return await self._worker.run(partial(finished, sounds, pause_ms(piece)))
        except Exception as error:
            log.exception("the voice failed", extra={"characters": len(piece)})
            raise EngineError(STAGE, f"a clause could not be spoken ({type(error).__name__})") from error


def pause_ms(text: str) -> int:
    """Silence that belongs after a clause."""
    last = text.rstrip().rstrip(_CLOSING)[-1:]
    if last in tuple(".!?…"):
        return 200
    return 80 if last in tuple(",;:—–") else 30


def trimmed(sound: NDArray[np.float32], pause_ms: int) -> NDArray[np.float32]:
    """The sound without the silence around it, and with `pause_ms` of it at the end."""
    loud = np.flatnonzero(np.abs(sound) > QUIET)
    if not len(loud):
        return sound[:0]
    begin = max(loud[0] - LEAD_MS * VOICE_RATE // 1000, 0)
    end = loud[-1] + 1
    pause = pause_ms * VOICE_RATE // 1000
    kept = sound[begin : end + pause]
    return np.pad(kept, (0, max(end - begin + pause - len(kept), 0)))


def finished(sounds: list[NDArray[np.float32]], pause_ms: int) -> bytes:
    """All that is spoken of a piece of text, as PCM16."""
    sound = trimmed(np.concatenate([np.zeros(0, np.float32), *sounds]), pause_ms)
    return (np.clip(sound, -1.0, 1.0) * 32767).astype("<i2").tobytes()


def _load() -> Any:
    try:
        from hibari import Hibari as Voice

        voice = Voice(threads=1)
        voice("Hello, this is the 1st warm-up.")
    except (ImportError, OSError) as error:
        raise ConfigError("hibari-tts", [f"the voice cannot be loaded: {error}"]) from error
    return voice
