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
        marks: When which words of each of its messages are heard: a call ends one.
        early_answers: What became of the answers that were begun with words which were not settled yet.
    """

    def __init__(self, ahead_ms: float) -> None:
        self._ahead_ms = ahead_ms
        self._words: deque[TextChunk | PlaybackMark | FunctionCall] = deque()
        self._sound: deque[tuple[int, bytes]] = deque()
        self._waiting_ms = 0.0
        self._committed = False
        self._closed = False
        self._is_early = False  # the words that are being answered are not settled
        self._changed = Signal()
        self._breaks = _Breaks()
        self._attempt: AttemptOutput | None = None
        self.marks = [PlaybackMarks()]
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

    def begin(self, *, early: bool) -> "AttemptOutput":
        """An answer begins, and is to be sent there; `early`: to words that are not settled yet."""
        self._is_early = early
        self._attempt = AttemptOutput(self)
        return self._attempt

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
        """Take a final output of a stage once there is room for it."""
        await self.wait_for_room(chunk)
        self.take(chunk)

    async def wait_for_room(self, chunk: object) -> None:
        """Returns when there is room for it."""
        while isinstance(chunk, AudioChunk) and self._waiting_ms >= self._ahead_ms:
            await self._changed.wait()

    def take(self, chunk: object) -> None:
        """Take a final output of a stage: `TextChunk`, `FunctionCall`, `AudioChunk` or `Observation`."""
        match chunk:
            case TextChunk(text, usage):
                self.usage = usage or self.usage
                self.finish_reason = chunk.finish_reason or self.finish_reason
                if text and self.first_chunks.text is None:
                    self.first_chunks = replace(self.first_chunks, text=_now())
                if text:
                    self._breaks.written(text)
                    self._words.append(chunk)
            case FunctionCall():
                self._breaks.called()
                self._words.append(chunk)
            case AudioChunk():
                self._take_sound(chunk)
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
        """Drop all that is held, and what the attempt still makes: the turn asks something else, and begins anew."""
        self._end_early("discarded")
        if self._attempt:
            self._attempt.give_up()
        self._words.clear()
        self._sound.clear()
        self._waiting_ms = 0.0
        self._breaks, self.marks = _Breaks(), [PlaybackMarks()]
        self.first_chunks, self.usage = FirstChunks(), TokenUsage()
        self.finish_reason = self.error = None
        self.began.clear()
        self.made.clear()
        self.ended.clear()
        self.observations.clear()
        self._changed.fire()

    def fail(self, error: EngineError) -> None:
        """Note that the answer ends here with `error`; what fails behind that followed from it."""
        self.error = self.error or error

    async def words(self) -> AsyncGenerator[TextChunk | PlaybackMark | FunctionCall, None]:
        """What was written (`TextChunk`), what is called, and what is spoken when (`PlaybackMark`), in order."""
        while await self._any_in(self._words):
            yield self._words.popleft()

    async def sound(self) -> AsyncGenerator[tuple[int, bytes], None]:
        """PCM16, 24 kHz mono, in the chunks in which it was made, and which of its messages each belongs to."""
        while await self._any_in(self._sound):
            message, pcm = self._sound.popleft()
            self._waiting_ms -= AudioChunk(pcm).duration_ms
            self._changed.fire()
            yield message, pcm

    def _end_early(self, outcome: EarlyOutcome) -> None:
        if self._is_early:
            self.early_answers[outcome] += 1
        self._is_early = False

    def _take_sound(self, chunk: AudioChunk) -> None:
        if (message := self._breaks.spoken(chunk.text)) == len(self.marks):
            self.marks.append(PlaybackMarks())
            chunk = replace(chunk, text=chunk.text.lstrip())
        if chunk.text:
            start_ms = self.marks[message].duration_ms
            self._words.append(PlaybackMark(chunk.text, start_ms, start_ms + chunk.duration_ms, message))
        if chunk.pcm:
            if self.first_chunks.pcm is None:
                self.first_chunks = replace(self.first_chunks, pcm=_now())
            self._sound.append((message, chunk.pcm))
            self._waiting_ms += chunk.duration_ms
        self.marks[message] = self.marks[message].with_audio(chunk)

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


class AttemptOutput:
    """Passes on what one attempt to answer makes, until it is given up: what its stages make before they have gone is
    lost.
    """

    def __init__(self, output: SpeculativeOutput) -> None:
        self._output: SpeculativeOutput | None = output

    def give_up(self) -> None:
        self._output = None

    def stage_began(self, stage: str) -> None:
        if self._output:
            self._output.stage_began(stage)

    def stage_made(self, stage: str) -> None:
        if self._output:
            self._output.stage_made(stage)

    def stage_ended(self, stage: str) -> None:
        if self._output:
            self._output.stage_ended(stage)

    async def send(self, chunk: object) -> None:
        if self._output:
            await self._output.wait_for_room(chunk)
        if self._output:
            self._output.take(chunk)

    def fail(self, error: EngineError) -> None:
        if self._output:
            self._output.fail(error)


class _Breaks:
    """Knows where in the text of an answer a call stands, and so which message it is whose text is spoken.

    What is spoken is what was written, but for spaces.
    """

    def __init__(self) -> None:
        self._places: list[int] = []  # in letters and marks
        self._written = self._spoken = self._message = 0

    def written(self, text: str) -> None:
        self._written += _size(text)

    def called(self) -> None:
        """A call ends a message, if that has any words."""
        if self._written > (self._places[-1] if self._places else 0):
            self._places.append(self._written)

    def spoken(self, text: str) -> int:
        """Which message `text` belongs to, whose speech begins; if it is empty, the last one's goes on."""
        if size := _size(text):
            while self._message < len(self._places) and self._spoken >= self._places[self._message]:
                self._message += 1
            self._spoken += size
        return self._message


def _size(text: str) -> int:
    return len("".join(text.split()))


def _now() -> float:
    return asyncio.get_running_loop().time()
