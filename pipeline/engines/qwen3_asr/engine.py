"""Hears utterances with Qwen3-ASR: one pass of vLLM over all sound so far, again and again until the end."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from pipeline.aio.signal import Signal
from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.newest_prompt import NewestPrompt
from pipeline.engines.qwen3_asr.decode_passes import DecodePass, DecodePasses
from pipeline.engines.qwen3_asr.pass_order import PassOrder
from pipeline.engines.qwen3_asr.speculative_decode import drafted
from pipeline.engines.vllm.request_engine import RequestEngine
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.engines.window_pass import WindowPass
from pipeline.errors import EngineError
from pipeline.models.qwen3_asr.languages import codes_of, language_name
from pipeline.models.qwen3_asr.prompt import AsrPrompt
from pipeline.models.qwen3_asr.windows import EncoderWindow
from pipeline.models.shared.engine_io import MediaItem, PromptChunk, PromptEngine
from pipeline.types.chunks import AsrInput, DraftOutcome, Transcript

STAGE = "asr"
URGENT, PATIENT = 0, 1  # priorities of vLLM's

EnginePrompt = Callable[[AsrPrompt, Sequence[EncoderWindow]], tuple[tuple[int, ...], tuple[MediaItem, ...]]]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much one pass may hold.

    Attributes:
        longest_ms: Most sound of a window.
        least_tokens, tokens_per_s: Most tokens to write, as it grows with the sound: nobody speaks faster.
    """

    longest_ms: int
    least_tokens: int = 64
    tokens_per_s: float = 6.0

    def tokens(self, audio_ms: int) -> int:
        return self.least_tokens + int(self.tokens_per_s * audio_ms / 1000)


@dataclass(frozen=True, slots=True)
class Qwen3AsrEngineSettings:
    """How all utterances are heard.

    Attributes:
        model: Its name.
        passes: Makes the passes of one utterance.
        prompt: Makes what vLLM is given of a pass.
        stops: Ids that end a transcript.
        languages: The languages that the model knows, by their English names.
        language: The language of callers who name none; None: it is detected.
        context_bytes: How much of a caller's context there is room for.
    """

    model: str
    passes: Callable[[], DecodePasses]
    prompt: EnginePrompt
    sampling_defaults: SamplingDefaults
    stops: Sequence[int]
    extent: Extent
    languages: Sequence[str]
    language: str | None = None
    context_bytes: int = 0


class Qwen3AsrEngine(RequestEngine):
    """`Engine[AsrInput, Transcript]`. At most one pass of a request is under way, but for one that is being dropped.

    A pass over unfinished speech is dropped when a window comes whose transcript will stand; that pass is
    always made. Of all utterances, it goes before those over unfinished speech.
    """

    def __init__(self, requests: PromptEngine, engine_settings: Qwen3AsrEngineSettings) -> None:
        self.model = engine_settings.model
        self.languages = codes_of(engine_settings.languages)
        self.context_bytes = engine_settings.context_bytes
        super().__init__(requests)
        self._requests = requests
        self._engine_settings = engine_settings
        self._sampling = engine_settings.sampling_defaults.sampling(engine_settings.stops, whole=True)
        self._order = PassOrder()

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        """Transcribes the newest window whenever the pass before is over; it skips windows that a newer one overtook.

        Raises:
            EngineError: The language of a window is unknown, its sound is too long or no numbers, or the engine failed.
        """
        passes = self._engine_settings.passes()
        async with BackgroundTasks() as tasks:
            windows = NewestPrompt(prompts)
            tasks.start(f"{request_id}:windows", windows.follow)
            for number in count():
                if (window := await windows.take()) is None:
                    return
                language = self._checked(window)
                if not len(window.pcm):
                    yield Transcript("", 0, window.settles)
                    continue
                output = PassOutput(passes.ask(window, language), windows.changed)
                task = tasks.start(f"{request_id}.{number}", self._decode, f"{request_id}.{number}", request_id, output)
                if not await output.until_over(windows):
                    task.cancel()  # the pass that takes its place need not wait until vLLM has let go of it
                    continue
                if output.error:
                    raise output.error
                yield replace(passes.note(output.request, output.token_ids), draft=output.draft)

    async def _decode(self, name: str, salt: str, output: "PassOutput") -> None:
        request = output.request
        settles = request.window.settles
        priority = URGENT if settles else PATIENT
        error: EngineError | None = EngineError(STAGE, "a pass failed")
        try:
            token_ids, media = self._engine_settings.prompt(request.prompt, request.windows)
            most = self._engine_settings.sampling_defaults.most(
                self._engine_settings.extent.tokens(request.window.audio_end_ms)
            )
            chunk = PromptChunk(token_ids, most, media=media, cache_salt=salt, draft=request.draft)
            async with (
                self._order.place(settles=settles),
                aclosing(drafted(self._requests, name, self._sampling, chunk, priority)) as pieces,
            ):
                async for written in pieces:
                    output.token_ids += written.token_ids
                    output.draft = output.draft or written.draft
            error = None
        except EngineError as refused:
            error = refused
        finally:
            output.end(error)

    def _checked(self, window: AsrInput) -> str | None:
        """The language as Qwen3-ASR names it."""
        if window.audio_end_ms > self._engine_settings.extent.longest_ms:
            limit_s = self._engine_settings.extent.longest_ms // 1000
            raise EngineError(STAGE, f"{window.audio_end_ms / 1000:.1f} s of sound at once; {limit_s} s can be heard")
        if not np.isfinite(window.pcm).all():
            raise EngineError(STAGE, "the sound holds values that are no numbers")
        if window.language is None:
            return self._engine_settings.language
        name = language_name(window.language, self._engine_settings.languages)
        if name is None:
            known = ", ".join(sorted(self._engine_settings.languages))
            raise EngineError(STAGE, f"the language `{window.language}` is not one that the recogniser knows ({known})")
        return name


class PassOutput(WindowPass):
    """What a pass under way has written."""

    def __init__(self, request: DecodePass, changed: Signal) -> None:
        super().__init__(request.window, changed)
        self.request = request
        self.token_ids: tuple[int, ...] = ()
        self.draft: DraftOutcome | None = None
