"""Stands around the recogniser's engine: makes its passes as long as they shall be, and times what it does itself."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from pipeline.engines.qwen3_asr.decode_passes import DecodePass, DecodePasses
from pipeline.engines.qwen3_asr.engine import Qwen3AsrEngineSettings
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, PromptEngine, RequestSampling
from pipeline.types.chunks import AsrInput, Transcript

T = TypeVar("T")

LETTERS = [*range(ord("a"), ord("z") + 1)]  # ids of a byte-level tokenizer
WRONG = ord("#")
LIVE_TOKENS = 12  # of a pass while somebody speaks


@dataclass(frozen=True, slots=True)
class Draft:
    """What the pass before has written, for the next to read.

    Attributes:
        given: Or it is written anew.
        wrong: Where its first wrong token is, as an index; None: it has none.
    """

    given: bool = True
    wrong: int | None = None


class Lasting:
    """Passes of a given number of tokens: dummy weights find no end, or find it anywhere. What is said are letters.

    Attributes:
        tokens: By the id of the utterance.
        draft: Of its last pass; all others are right.
    """

    def __init__(self, requests: PromptEngine) -> None:
        self._requests = requests
        self.tokens: dict[str, int] = {}
        self.draft = Draft()
        self._left: dict[str, int] = {}  # tokens, after a wrong draft

    async def answer(
        self, request_id: str, sampling: RequestSampling, part: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        tokens = self._left.pop(request_id, 0) or self.tokens.get(part.cache_salt, LIVE_TOKENS)
        likeliest = part.draft
        if part.draft and self.draft.wrong is not None:
            right = range(len(part.draft))[self.draft.wrong]
            likeliest = (*part.draft[:right], *(WRONG for _ in part.draft[right:]))
            self._left[request_id.removesuffix(".draft")] = tokens - right - 1
        left = max(1, tokens - len(part.draft))
        told = replace(part, max_tokens=left, min_tokens=left)
        made = 0
        async with aclosing(self._requests.answer(request_id, replace(sampling, stop_token_ids=()), told)) as pieces:
            async for written in pieces:
                ids = tuple(LETTERS[(made + i) % len(LETTERS)] for i in range(len(written.token_ids)))
                made += len(ids)
                yield replace(written, token_ids=ids, likeliest=likeliest)

    async def busy(self) -> int:
        return await self._requests.busy()

    async def died(self) -> None:
        await self._requests.died()

    async def aclose(self) -> None:
        await self._requests.aclose()


class Timed:
    """How utterances are heard, and how long the last of each step on the event loop took, in milliseconds."""

    def __init__(self, engine_settings: Qwen3AsrEngineSettings, clock: Callable[[], float]) -> None:
        self._passes = engine_settings.passes
        self._clock = clock
        self.drafts = True
        self.ms: dict[str, float] = {}
        self.engine_settings = replace(
            engine_settings, passes=self._timed, prompt=partial(self._call, "prompt", engine_settings.prompt)
        )

    def _timed(self) -> Any:
        return _TimedPasses(self._passes(), self._call, self.drafts)

    def _call(self, step: str, work: Callable[..., T], *args: Any) -> T:
        begun = self._clock()
        made = work(*args)
        self.ms[step] = 1000 * (self._clock() - begun)
        return made


@dataclass(frozen=True, slots=True)
class _TimedPasses:
    passes: DecodePasses
    call: Callable[..., Any]
    drafts: bool

    def ask(self, window: AsrInput, language: str | None) -> DecodePass:
        request: DecodePass = self.call("features", self.passes.ask, window, language)
        return request if self.drafts else replace(request, draft=())

    def note(self, request: DecodePass, token_ids: Sequence[int]) -> Transcript:
        noted: Transcript = self.call("words", self.passes.note, request, token_ids)
        return noted
