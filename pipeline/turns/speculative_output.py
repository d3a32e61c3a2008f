"""Speculative output: what a turn has made is held back until the turn is committed, or is discarded."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Literal, Self

from pipeline.aio.signal import Signal
from pipeline.errors import EngineError
from pipeline.types.chunks import AudioChunk, FinishReason, TextChunk, TokenUsage
from pipeline.types.function_tools import FunctionCall
from pipeline.types.observation import Observation
from pipeline.types.playback_marks import PlaybackMark, PlaybackMarks

EarlyOutcome = Literal["adopted", "discarded"]


@dataclass(frozen=True, slots=True)
class FirstChunks:
    """When the first of each kind of chunk came in, on the loop's clock; None: not yet."""

    text: float | None = None
    pcm: float | None = None


class SpeculativeOutput:
    """Holds what a turn's stages make until `commit`; it leaves in two lanes, `words()` and `sound()`.

    Words overtake sound. A stage that sends sound waits while more than `ahead_ms` of it has not been taken. Words
    never wait. The lanes end when the turn has ended; a failure is then found in `error`.

    Attributes:
        heard_at: When all that the person had said was made out, on the loop's clock; None: they have not spoken, or it
            is not known yet. It is true of what they said, whatever is discarded.
        began: When each stage was given its first prompt.
        made: When each stage that makes neither words nor sound made its first chunk.
        observations: What was recognised in the pictures that the turn is about, in their order.
        ended: When each stage had ended, and its engine had let go of the turn.
        finish_reason: Why what was written ends where it does, if that is known.
        early_answers: What became of the answers that were begun with words which were not settled yet.
    """

    def __init__(self, ahead_ms: float) -> None:
        self._ahead_ms = ahead_ms
        self._words: deque[TextChunk | PlaybackMark | FunctionCall] = deque()
        self._sound: deque[bytes] = deque()
        self._waiting_ms = 0.0
        self._committed = False
        self._closed = False
        self._is_early = False  # the words that are being answered are not settled
        self._changed = Signal()
        self.marks = PlaybackMarks()
        self.first_chunks = FirstChunks()
        self.heard_at: float | None = None
        self.began: dict[str, float] = {}
        self.made: dict[str, float] = {}
        self.ended: dict[str, float] = {}
        self.observations: list[Observation] = []
        self.usage = TokenUsage()
        self.finish_reason: FinishReason | None = None
        self.error: EngineError | None = None
        self.early_answers: Counter[EarlyOutcome] = Counter()

    def begin(self, *, early: bool) -> None:
        """Note that an answer begins; `early`: to words that are not settled yet."""
        self._is_early = early

    def confirm(self) -> None:
        """Note that the words which are being answered are settled."""
        self._end_early("adopted")

    def heard(self) -> None:
        """Note that all that the person has said is made out."""
        self.heard_at = _now()

    def stage_began(self, stage: str) -> None:
        """Note that a stage is given a prompt; only its first one counts."""
        self.began.setdefault(stage, _now())

    def stage_made(self, stage: str) -> None:
        """Note that a stage hands on a chunk with something in it; only its first one counts."""
        self.made.setdefault(stage, _now())

    def stage_ended(self, stage: str) -> None:
        """Note that a stage has nothing more to do."""
        self.ended[stage] = _now()

    async def send(self, chunk: object) -> None:
        """Take a final output of a stage: `TextChunk`, `FunctionCall`, `AudioChunk` or `Observation`."""
        match chunk:
            case TextChunk(text, usage):
                self.usage = usage or self.usage
                self.finish_reason = chunk.finish_reason or self.finish_reason
                if text and self.first_chunks.text is None:
                    self.first_chunks = replace(self.first_chunks, text=_now())
                if text:
                    self._words.append(chunk)
            case FunctionCall():
                self._words.append(chunk)
            case AudioChunk():
                await self._room()
                self._take(chunk)
            case Observation():
                self.observations.append(chunk)
            case _:
                name = type(chunk).__name__
                raise TypeError(f"a stage with final_output sent {name}, not Text, a call, Audio or an Observation")
        self._changed.fire()

    def commit(self) -> None:
        """Let what is held leave, and what still comes: the turn is certain."""
        self._committed = True
        self._changed.fire()

    def discard(self) -> None:
        """Drop all that is held: the turn asks something else, and begins anew."""
        self._end_early("discarded")
        self._words.clear()
        self._sound.clear()
        self._waiting_ms = 0.0
        self.marks, self.first_chunks, self.usage = PlaybackMarks(), FirstChunks(), TokenUsage()
        self.finish_reason = self.error = None
        self.began.clear()
        self.made.clear()
        self.ended.clear()
        self.observations.clear()
        self._changed.fire()

    def fail(self, error: EngineError) -> None:
        """Note that the answer ends here with `error`."""
        self.error = error

    async def words(self) -> AsyncGenerator[TextChunk | PlaybackMark | FunctionCall, None]:
        """What was written (`TextChunk`), what is called, and what is spoken when (`PlaybackMark`), in order."""
        while await self._any_in(self._words):
            yield self._words.popleft()

    async def sound(self) -> AsyncGenerator[bytes, None]:
        """PCM16, 24 kHz mono, in the chunks in which it was made."""
        while await self._any_in(self._sound):
            pcm = self._sound.popleft()
            self._waiting_ms -= AudioChunk(pcm).duration_ms
            self._changed.fire()
            yield pcm

    def _end_early(self, outcome: EarlyOutcome) -> None:
        if self._is_early:
            self.early_answers[outcome] += 1
        self._is_early = False

    def _take(self, chunk: AudioChunk) -> None:
        if chunk.text:
            start_ms = self.marks.duration_ms
            self._words.append(PlaybackMark(chunk.text, start_ms, start_ms + chunk.duration_ms))
        if chunk.pcm:
            if self.first_chunks.pcm is None:
                self.first_chunks = replace(self.first_chunks, pcm=_now())
            self._sound.append(chunk.pcm)
            self._waiting_ms += chunk.duration_ms
        self.marks = self.marks.with_audio(chunk)

    async def _room(self) -> None:
        while self._waiting_ms >= self._ahead_ms:
            await self._changed.wait()

    async def _any_in(self, lane: deque[Any]) -> bool:
        """Wait until something in `lane` may leave; False if nothing will any more."""
        while not (self._committed and lane):
            if self._closed:
                return False
            await self._changed.wait()
        return True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, asyncio.CancelledError):
            self.fail(EngineError("turn", "internal error"))
        self._end_early("discarded")
        self._closed = True
        self._changed.fire()


def _now() -> float:
    return asyncio.get_running_loop().time()
