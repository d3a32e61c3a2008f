"""Hears utterances with Qwen3-ASR: one pass of vLLM over all sound so far, again and again until the end."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from pipeline.aio.signal import Signal
from pipeline.aio.tasks import Tasks, all_stopped
from pipeline.engines.qwen3_asr.decode_passes import Pass, Passes
from pipeline.engines.qwen3_asr.newest_prompt import Newest
from pipeline.engines.qwen3_asr.speculative_decode import drafted
from pipeline.engines.vllm.sampling_defaults import Draws
from pipeline.errors import EngineError
from pipeline.models.qwen3_asr.languages import codes_of, language_name
from pipeline.models.qwen3_asr.prompt import Prompt
from pipeline.models.qwen3_asr.windows import Piece
from pipeline.models.shared.engine_io import Answers, Medium, Part
from pipeline.types.chunks import Draft, Transcript, Window

STAGE = "asr"


EnginePrompt = Callable[[Prompt, Sequence[Piece]], tuple[tuple[int, ...], tuple[Medium, ...]]]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much one pass may hold.

    Attributes:
        longest_ms: Of sound.
        least_tokens, tokens_per_s: Most tokens to write, as it grows with the sound: nobody speaks faster.
    """

    longest_ms: int
    least_tokens: int = 64
    tokens_per_s: float = 6.0

    def tokens(self, audio_ms: int) -> int:
        return self.least_tokens + int(self.tokens_per_s * audio_ms / 1000)


@dataclass(frozen=True, slots=True)
class Manner:
    """How all utterances are heard.

    Attributes:
        model: Its name.
        passes: Makes the passes of one utterance.
        prompt: Makes what vLLM is given of a pass.
        stops: Ids that end a transcript.
        languages: Those that there are, by their English names.
        language: That of callers who name none; None: it is detected.
        context_bytes: Of a caller's context, how much there is room for.
    """

    model: str
    passes: Callable[[], Passes]
    prompt: EnginePrompt
    draws: Draws
    stops: Sequence[int]
    extent: Extent
    languages: Sequence[str]
    language: str | None = None
    context_bytes: int = 0


class Qwen3Asr:
    """`Engine[Window, Transcript]`. At most one pass of a request is under way.

    A pass over unfinished speech is dropped when a window comes whose transcript will stand; that pass is
    always made.
    """

    def __init__(self, requests: Answers, manner: Manner) -> None:
        self.model = manner.model
        self.languages = codes_of(manner.languages)
        self.context_bytes = manner.context_bytes
        self._requests = requests
        self._manner = manner
        self._sampling = manner.draws.sampling(manner.stops)

    async def generate(self, request_id: str, prompts: AsyncIterator[Window]) -> AsyncGenerator[Transcript, None]:
        """
        Raises:
            EngineError: The language of a window is unknown, its sound is too long or no numbers, or the engine failed.
        """
        passes = self._manner.passes()
        async with Tasks() as tasks:
            windows = Newest(prompts)
            tasks.start(f"{request_id}:windows", windows.follow)
            for number in count():
                if (window := await windows.take()) is None:
                    return
                language = self._checked(window)
                if not len(window.pcm):
                    yield Transcript("", 0, window.settles)
                    continue
                reading = Reading(passes.ask(window, language), windows.changed)
                task = tasks.start(f"{request_id}.{number}", self._read, f"{request_id}.{number}", request_id, reading)
                while not (reading.over or (not window.settles and windows.next and windows.next.settles)):
                    await windows.changed.wait()
                if not reading.over:
                    await all_stopped([task])
                    continue
                if reading.error:
                    raise reading.error
                yield replace(passes.note(reading.asked, reading.token_ids), draft=reading.draft)

    async def busy(self) -> int:
        return await self._requests.busy()

    async def died(self) -> None:
        await self._requests.died()

    async def aclose(self) -> None:
        await self._requests.aclose()

    async def _read(self, name: str, salt: str, reading: "Reading") -> None:
        asked = reading.asked
        token_ids, media = self._manner.prompt(asked.prompt, asked.windows)
        most = self._manner.draws.most(self._manner.extent.tokens(asked.window.audio_end_ms))
        part = Part(token_ids, most, media=media, cache_salt=salt, draft=asked.draft)
        error: EngineError | None = EngineError(STAGE, "a pass failed")
        try:
            async with aclosing(drafted(self._requests, name, self._sampling, part)) as pieces:
                async for written in pieces:
                    reading.token_ids += written.token_ids
                    reading.draft = reading.draft or written.draft
            error = None
        except EngineError as refused:
            error = refused
        finally:
            reading.end(error)

    def _checked(self, window: Window) -> str | None:
        """The language as Qwen3-ASR names it."""
        if window.audio_end_ms > self._manner.extent.longest_ms:
            limit_s = self._manner.extent.longest_ms // 1000
            raise EngineError(STAGE, f"{window.audio_end_ms / 1000:.1f} s of sound at once; {limit_s} s can be heard")
        if not np.isfinite(window.pcm).all():
            raise EngineError(STAGE, "the sound holds values that are no numbers")
        if window.language is None:
            return self._manner.language
        name = language_name(window.language, self._manner.languages)
        if name is None:
            known = ", ".join(sorted(self._manner.languages))
            raise EngineError(STAGE, f"the language `{window.language}` is not one that the recogniser knows ({known})")
        return name


class Reading:
    """A pass under way."""

    def __init__(self, asked: Pass, changed: Signal) -> None:
        self.asked = asked
        self.token_ids: tuple[int, ...] = ()
        self.draft: Draft | None = None
        self.error: EngineError | None = None
        self.over = False
        self._changed = changed

    def end(self, error: EngineError | None) -> None:
        self.over, self.error = True, error
        self._changed.fire()
