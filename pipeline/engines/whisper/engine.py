"""The recogniser of the embedded profile: Whisper on the CPU (faster-whisper, CTranslate2, int8)."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial
from pathlib import Path
from typing import Self

from pipeline.aio.tasks import BackgroundTasks, all_stopped
from pipeline.engines.blocking_worker import BlockingWorker
from pipeline.engines.embedded_models import FETCHED, WHISPER_FILES
from pipeline.engines.model_files import model_folder
from pipeline.engines.newest_prompt import NewestPrompt
from pipeline.engines.whisper.decoder import HeardWords, WhisperDecoder
from pipeline.engines.window_pass import WindowPass
from pipeline.errors import ConfigError, EngineError
from pipeline.types.chunks import AsrInput, Transcript

log = logging.getLogger(__name__)

STAGE = "asr"
URGENT, PATIENT = 0, 1  # priorities of passes
CONTEXT_BYTES = 600  # of plain English some 150 tokens, and 223 are read


class WhisperEngine:
    """`Engine[AsrInput, Transcript]`.

    A pass over unfinished speech is dropped when a window comes whose transcript will stand. What CTranslate2 computes
    cannot be interrupted: closing a request returns at once, and `busy` counts its pass until it comes to the next
    computation. Passes of all callers wait for each other; one that settles what was said goes first.
    """

    def __init__(self, model: str, reader: WhisperDecoder, language: str | None) -> None:
        self.model = model
        self.languages = reader.languages
        self.context_bytes = CONTEXT_BYTES
        self._reader = reader
        self._language = language
        self._worker = BlockingWorker("whisper")

    @classmethod
    async def open(cls, models_dir: Path, *, model: str, fallback: str, threads: int, language: str | None) -> Self:
        """Loads `model`, or `fallback` where only that is complete, on a thread of its own.

        Args:
            threads: CPU threads of a pass.
            language: ISO 639-1 code of callers who name none; None: detect it in each window.

        Raises:
            ConfigError: No model is complete, or it cannot be loaded, or does not know the language.
        """
        folder = model_folder(models_dir, (model, fallback), WHISPER_FILES, FETCHED)
        loader = BlockingWorker("whisper-loader")
        try:
            reader = await loader.run(partial(WhisperDecoder, folder, threads))
        finally:
            await loader.aclose()
        if language and language not in reader.languages:
            known = ", ".join(sorted(reader.languages))
            raise ConfigError(f"stage {STAGE}", [f"language `{language}` is none that {folder.name} knows ({known})"])
        return cls(folder.name, reader, language)

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        async with BackgroundTasks() as tasks:
            windows = NewestPrompt(prompts)
            tasks.start(f"{request_id}:windows", windows.follow)
            while (window := await windows.take()) is not None:
                under_way = WhisperWindowPass(window, windows.changed)
                task = tasks.start(f"{request_id}:pass", self._read, under_way)
                if not await under_way.until_over(windows):
                    await all_stopped([task])
                    continue
                if under_way.error:
                    raise under_way.error
                heard = under_way.heard
                yield Transcript(
                    heard.text,
                    window.audio_end_ms,
                    window.settles,
                    language=heard.language,
                    sentence_end=heard.sentence_end,
                )

    async def busy(self) -> int:
        return self._worker.running

    async def aclose(self) -> None:
        await self._worker.aclose()

    async def _read(self, under_way: "WhisperWindowPass") -> None:
        window = under_way.window
        error: EngineError | None = EngineError(STAGE, "a pass was dropped")
        try:
            language, context = self._known(window.language or self._language), window.context
            hear = partial(self._reader.hear, window.pcm, language, context, under_way.is_wanted)
            under_way.heard = await self._worker.run_unheld(hear, URGENT if window.settles else PATIENT)
            error = None
        except EngineError as refused:
            error = refused
        except Exception as failure:
            log.exception("a pass failed", extra={"audio_ms": window.audio_end_ms})
            error = EngineError(STAGE, f"the speech could not be transcribed ({type(failure).__name__})")
        finally:
            under_way.end(error)

    def _known(self, language: str | None) -> str | None:
        """The language as Whisper names it: `en-US` is `en`."""
        code = language.lower().replace("_", "-").split("-")[0] if language else None
        if code and code not in self._reader.languages:
            known = ", ".join(sorted(self._reader.languages))
            raise EngineError(STAGE, f"the language `{language}` is not one that the recogniser knows ({known})")
        return code


class WhisperWindowPass(WindowPass):
    """What a pass has heard."""

    heard = HeardWords("", "")

    def is_wanted(self) -> bool:
        """Asked on the thread that computes."""
        return not self.over
