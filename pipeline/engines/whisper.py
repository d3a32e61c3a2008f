"""Whisper on a CPU (faster-whisper, CTranslate2, int8): hears a window of an utterance in one pass."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

from pipeline.chunks import Transcript, Window
from pipeline.engines.files import model_folder
from pipeline.engines.worker import Worker
from pipeline.errors import ConfigError, EngineError

log = logging.getLogger(__name__)

STAGE = "asr"
FILES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt")
# A pass whose words are this unlikely, or that repeats itself this much, has heard nothing (Whisper invents
# "Thank you." over noise). The limits are those of OpenAI's reference implementation.
NO_SPEECH = 0.6
LEAST_LOGPROB = -1.0
MOST_COMPRESSION = 2.4


class Whisper:
    """`Engine[Window, Transcript]`. A pass cannot be interrupted: one that nobody waits for ends unheard."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._worker = Worker("whisper")

    @staticmethod
    async def open(models_dir: Path, *, model: str, fallback: str, threads: int) -> "Whisper":
        """
        Raises:
            ConfigError: No model is complete, or it cannot be loaded.
        """
        folder = model_folder(models_dir, (model, fallback), FILES)
        return Whisper(await asyncio.to_thread(_load, folder, threads))

    async def generate(self, request_id: str, prompts: AsyncIterator[Window]) -> AsyncGenerator[Transcript, None]:
        async for window in prompts:
            if window.language and window.language not in self._model.supported_languages:
                raise EngineError(STAGE, f"the language {window.language!r} is not one that this model hears")
            yield Transcript(await self._pass(window), window.audio_end_ms, window.settles)

    async def busy(self) -> int:
        return self._worker.running

    async def aclose(self) -> None:
        await self._worker.aclose()

    async def _pass(self, window: Window) -> str:
        try:
            return await self._worker.run_unheld(lambda: self._hear(window))
        except Exception as error:
            log.exception("the recogniser failed", extra={"audio_ms": window.audio_end_ms})
            raise EngineError(STAGE, f"the sound could not be transcribed ({type(error).__name__})") from error

    def _hear(self, window: Window) -> str:
        segments, _ = self._model.transcribe(
            window.pcm,
            language=window.language,
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=True,
        )
        return " ".join(segment.text.strip() for segment in segments if is_speech(segment))


def is_speech(segment: Any) -> bool:
    """Whether a segment is what somebody said, and not what Whisper makes of noise."""
    unlikely = segment.no_speech_prob > NO_SPEECH and segment.avg_logprob < LEAST_LOGPROB
    return bool(segment.text.strip()) and segment.compression_ratio <= MOST_COMPRESSION and not unlikely


def _load(folder: Path, threads: int) -> Any:
    try:
        from faster_whisper import WhisperModel

        return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)
    except (ImportError, RuntimeError, ValueError, OSError) as error:
        raise ConfigError(str(folder), [f"the recogniser cannot be loaded: {error}"]) from error
