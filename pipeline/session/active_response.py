"""One answer on its way to the caller: words at once, sound at the pace of playback."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from pipeline.context.conversation import Conversation
from pipeline.media.sample_rates import VOICE_RATE
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.chunks import AudioChunk, TextChunk, TurnId
from pipeline.types.function_tools import FunctionCall
from pipeline.types.history import Item
from pipeline.types.ids import item_name
from pipeline.types.playback_marks import PlaybackMark
from pipeline.types.session_events import (
    AudioDelta,
    CancelReason,
    EnginesReleased,
    EventSink,
    FunctionCalled,
    ResponseCreated,
    ResponseDone,
    ResponseItemAdded,
    Silence,
    Status,
    TextDelta,
    TranscriptDelta,
)
from pipeline.types.turn_request import ResponseOptions

AHEAD_S = 1.5  # how far the sound that has left may be ahead of playback
PIECE_BYTES = VOICE_RATE * 2 // 5  # 200 ms: what leaves at once


@dataclass(frozen=True, slots=True)
class ResponseRequest:
    """A `response.create`: what the answer is called, and how it is wanted.

    Attributes:
        kept: The conversation keeps the answer.
        moments: When what happened before, on the loop's clock.
    """

    turn: TurnId
    response_id: str
    item_id: str
    response_options: ResponseOptions
    metadata: Mapping[str, str] = field(default_factory=dict)
    kept: bool = True
    moments: Mapping[str, float | None] = field(default_factory=dict)


class ActiveResponse:
    """Reads both lanes of `output`, and tells the caller what comes out, until it is `done`.

    Args:
        zero: When the session began, on the loop's clock: its timings count from there.
    """

    def __init__(
        self,
        request: ResponseRequest,
        output: SpeculativeOutput,
        conversation: Conversation,
        sink: EventSink,
        zero: float = 0.0,
    ) -> None:
        self.request = request
        self._zero = zero
        self._output = output
        self._conversation = conversation
        self._sink = sink
        self._texts: list[str] = []
        self._has_words = False  # something was written, whether it is spoken yet or not
        self._calls: list[Item] = []
        self._output_index = 0  # of the words among the calls
        self.has_opened = False
        self._is_done = False
        self._sent_ms = 0.0
        self._playback_began: float | None = None
        self._created = _now()
        self._first_sent: float | None = None
        self._truncated_ms: float | None = None
        sink.emit(ResponseCreated(request.response_id, request.response_options, request.metadata, request.kept))

    @property
    def text(self) -> str:
        """All text that was emitted so far."""
        return "".join(self._texts)

    async def deliver(self) -> Status:
        """Tell everything; returns how it ended, when the turn has ended and all of it was sent.

        Raises:
            EngineError: The turn ended with a failure; what was made before it has been told.
        """
        async with asyncio.TaskGroup() as lanes:
            lanes.create_task(self._emit_words(self._output.words()), name=f"{self.request.turn}:words")
            lanes.create_task(self._emit_sound(self._output.sound()), name=f"{self.request.turn}:sound")
        if self._output.error:
            raise self._output.error
        return "incomplete" if self._output.finish_reason == "length" else "completed"

    @property
    def is_truncated(self) -> bool:
        return self._truncated_ms is not None

    def truncate(self, played_ms: float) -> None:
        """The caller says that they have heard only so much of it."""
        self._truncated_ms = played_ms

    def played_ms(self) -> float:
        """How much of it the caller has heard by now, if they play it as it comes."""
        if self._truncated_ms is not None:
            return self._truncated_ms
        if self._playback_began is None:
            return 0.0
        return min(self._sent_ms, (_now() - self._playback_began) * 1000)

    def item(self, *, complete: bool) -> Item:
        """The answer as an item of the history, with all that it was to say."""
        request = self.request
        return Item(
            request.item_id,
            "assistant",
            self.text,
            request.response_options.modality,
            complete=complete,
            marks=self._output.marks,
        )

    def done(
        self,
        status: Status,
        item: Item | None,
        *,
        previous: str | None = None,
        reason: CancelReason | None = None,
        error: str | None = None,
        error_code: str = "engine_failed",
    ) -> ResponseDone:
        """The last event. Nothing more is told, whatever the tasks still do until they have gone.

        Args:
            previous: Id of the item in front of `item`.
        """
        self._is_done = True
        request = self.request
        return ResponseDone(
            request.response_id,
            request.response_options,
            request.metadata,
            status,
            item,
            self.text,
            reason,
            error,
            self._output.usage,
            self.timings(),
            request.kept,
            previous,
            self._silence(status),
            tuple(self._calls),
            self._output_index,
            error_code,
        )

    def dropped(self, cancelled: float) -> EnginesReleased:
        """The event that says when the engines let go, once all tasks have ended.

        Args:
            cancelled: When that was asked for, on the loop's clock.
        """
        ended, began = self._output.ended, self._output.began
        took = {stage: at - cancelled for stage, at in ended.items() if stage in began and at >= cancelled}
        return EnginesReleased(self.request.response_id, took)

    def timings(self) -> dict[str, float]:
        """When what happened that has, in seconds since the session began."""
        return {name: round(at - self._zero, 3) for name, at in self.moments().items() if at is not None}

    def moments(self) -> dict[str, float | None]:
        """When what happened, on the loop's clock."""
        first_chunks = self._output.first_chunks
        return {
            **self.request.moments,
            "heard": self._output.heard_at,
            "created": self._created,
            **{f"{stage}_began": at for stage, at in self._output.began.items()},
            **{f"{stage}_first": at for stage, at in self._output.made.items()},
            "first_text": first_chunks.text,
            "first_pcm": first_chunks.pcm,
            "first_sent": self._first_sent,
        }

    async def _emit_words(self, words: AsyncGenerator[TextChunk | PlaybackMark | FunctionCall, None]) -> None:
        spoken = self.request.response_options.modality == "audio"
        async with aclosing(words):
            async for word in words:
                if isinstance(word, FunctionCall):
                    self._call(word)
                    continue
                self._has_words = self._has_words or bool(word.text.strip())
                if isinstance(word, PlaybackMark) is spoken:
                    self._emit_word(word)

    def _emit_word(self, word: TextChunk | PlaybackMark) -> None:
        request = self.request
        match word:
            case TextChunk(text):
                self._give(TextDelta(request.response_id, request.item_id, text))
            case PlaybackMark(text, start_ms, end_ms):
                self._give(TranscriptDelta(request.response_id, request.item_id, text, start_ms, end_ms))

    def _call(self, call: FunctionCall) -> None:
        """Tell of a call, behind the words that were written before it: these may still be spoken meanwhile."""
        if self._is_done:
            return
        if self._has_words and not self.has_opened:
            self._open()
        request = self.request
        item = Item(
            item_name(), "assistant", call.arguments, kind="function_call", call_id=call.call_id, name=call.name
        )
        previous = self._conversation.call(item, request.item_id) if request.kept else None
        index = len(self._calls) + self.has_opened
        self._calls.append(item)
        self._sink.emit(FunctionCalled(request.response_id, item, previous, index, request.kept))

    def _give(self, event: TextDelta | TranscriptDelta | AudioDelta) -> None:
        if self._is_done:
            return
        if not self.has_opened:
            self._open()
        if not isinstance(event, AudioDelta):
            self._texts.append(event.text)
        self._sink.emit(event)

    def _open(self) -> None:
        """The first word is about to be told: the answer is not silence."""
        self.has_opened = True
        self._output_index = len(self._calls)
        request, item = self.request, self.item(complete=False)
        previous = self._conversation.open(item) if request.kept else None
        self._sink.emit(ResponseItemAdded(request.response_id, item, previous, request.kept, self._output_index))

    async def _emit_sound(self, sound: AsyncGenerator[bytes, None]) -> None:
        async with aclosing(sound):
            async for pcm in sound:
                for start in range(0, len(pcm), PIECE_BYTES):
                    await self._send(pcm[start : start + PIECE_BYTES])

    async def _send(self, pcm: bytes) -> None:
        offset_s = self._sent_ms / 1000
        end_ms = self._sent_ms + AudioChunk(pcm).duration_ms
        if self._playback_began is None or _now() - self._playback_began > offset_s:
            self._playback_began = _now() - offset_s  # the first piece, or playback has run dry
        await asyncio.sleep(self._playback_began + end_ms / 1000 - AHEAD_S - _now())
        timings = None
        if self._first_sent is None:
            self._first_sent = _now()
            timings = self.timings()
        self._sent_ms = end_ms
        self._give(AudioDelta(self.request.response_id, self.request.item_id, pcm, timings))

    def _silence(self, status: Status) -> Silence | None:
        """Why there is no word, of an answer that has ended well."""
        if self.has_opened or self._calls or status != "completed":
            return None
        if self._output.first_chunks.text is not None:
            return "unspoken"
        asked = self._output.began and self.request.response_options.say is None
        return "model" if asked else "no_words"


def _now() -> float:
    return asyncio.get_running_loop().time()
