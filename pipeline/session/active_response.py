"""One answer on its way to the caller: words at once, sound at the pace of playback."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from pipeline.context.conversation import Conversation
from pipeline.media.sample_rates import VOICE_RATE
from pipeline.session.answer_message import AnswerMessage
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.chunks import AudioChunk, TextChunk, TurnId
from pipeline.types.function_tools import FunctionCall
from pipeline.types.history import Item
from pipeline.types.ids import item_name
from pipeline.types.playback_marks import PlaybackMark, PlaybackMarks
from pipeline.types.session_events import (
    AudioDelta,
    CancelReason,
    EnginesReleased,
    EventSink,
    FunctionCalled,
    ResponseCreated,
    ResponseDone,
    ResponseItemAdded,
    ResponseItemDone,
    Silence,
    Status,
    TextDelta,
    TranscriptDelta,
)
from pipeline.types.turn_request import ResponseOptions

AHEAD_S = 1.5  # how far the sound that has left may be ahead of playback
GAP_S = 0.02  # shorter ones are hidden by whoever plays the sound
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
        self._messages = [AnswerMessage(request.item_id)]
        self._writing = self._sounding = 0  # which of the messages is written, and which is heard
        self._told: list[AnswerMessage | Item] = []  # and calls, in their order
        self._is_done = False
        self._sent_ms = 0.0
        self._playback_began: float | None = None
        self._gaps = 0
        self._created = _now()
        self._first_sent: float | None = None
        sink.emit(ResponseCreated(request.response_id, request.response_options, request.metadata, request.kept))

    @property
    def text(self) -> str:
        """All text that was emitted so far."""
        return "".join(message.text for message in self._messages)

    @property
    def has_opened(self) -> bool:
        """Whether any words were told."""
        return any(isinstance(each, AnswerMessage) for each in self._told)

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

    def truncate(self, item_id: str, played_ms: float) -> None:
        """The caller says that they have heard only so much of one of its messages."""
        for message in self._messages:
            if message.item_id == item_id:
                message.truncate(played_ms)

    def played_ms(self, message: int = 0) -> float:
        """How much of one of its messages the caller has heard by now, if they play the answer as it comes."""
        answer_ms = 0.0 if self._playback_began is None else (_now() - self._playback_began) * 1000
        return self._messages[message].played_ms(answer_ms)

    def finish(
        self,
        status: Status,
        *,
        reason: CancelReason | None = None,
        error: str | None = None,
        error_code: str = "engine_failed",
    ) -> None:
        """Leave what was heard of it in the conversation, and tell its end.

        Nothing more is told, whatever the tasks still do until they have gone.
        """
        self._is_done = True
        request, items = self.request, list[Item]()
        for each in self._told:
            if isinstance(each, Item):
                items.append(each)
                continue
            at = self._messages.index(each)
            item = self._item(at, complete=each.is_done or status == "completed")
            if status == "cancelled" or each.truncated_ms is not None:
                item = item.heard(self.played_ms(at))
            if request.kept:
                self._conversation.put(item)
            items.append(item)
            self._close(each, item, is_whole=status in ("completed", "incomplete"))
        if not request.kept or self._messages[0].output_index is None:
            self._conversation.withdraw(request.item_id)
        done = ResponseDone(
            request.response_id,
            request.response_options,
            request.metadata,
            status,
            tuple(items),
            self.text,
            reason,
            error,
            self._output.usage,
            self.timings(),
            request.kept,
            self._silence(status),
            error_code,
            self._gaps,
            self._zero,
            dict(self._output.ended),
        )
        self._sink.emit(done)

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
        is_spoken = self.request.response_options.modality == "audio"
        async with aclosing(words):
            async for word in words:
                match word:
                    case FunctionCall():
                        self._call(word)
                    case TextChunk(text):
                        message = self._message(self._writing)
                        message.wrote(text)
                        text = text if message.texts or not self._writing else text.lstrip()
                        if text and not is_spoken:
                            self._give(message, TextDelta(self.request.response_id, message.item_id, text))
                    case PlaybackMark(text, start_ms, end_ms, at) if is_spoken:
                        message = self._message(at)
                        response_id = self.request.response_id
                        self._give(message, TranscriptDelta(response_id, message.item_id, text, start_ms, end_ms))

    def _message(self, at: int) -> AnswerMessage:
        while len(self._messages) <= at:
            self._messages.append(AnswerMessage(item_name()))
        return self._messages[at]

    def _call(self, call: FunctionCall) -> None:
        """Tell of a call, behind the words that were written before it: these may still be spoken meanwhile."""
        if self._is_done:
            return
        before = self._message(self._writing)
        if before.has_words:
            self._open(before)
            if self.request.response_options.modality == "text":
                self._close(before, self._item(self._writing, complete=True))
            self._writing += 1
        request = self.request
        item = Item(
            item_name(), "assistant", call.arguments, kind="function_call", call_id=call.call_id, name=call.name
        )
        previous = self._conversation.call(item, self._last_id or request.item_id) if request.kept else None
        index = len(self._told)
        self._told.append(item)
        self._sink.emit(FunctionCalled(request.response_id, item, previous, index, request.kept))

    def _give(self, message: AnswerMessage, event: TextDelta | TranscriptDelta | AudioDelta) -> None:
        if self._is_done:
            return
        self._open(message)
        if not isinstance(event, AudioDelta):
            message.texts.append(event.text)
        self._sink.emit(event)

    def _open(self, message: AnswerMessage) -> None:
        """Its first word is about to be told: the answer is not silence."""
        if message.output_index is not None:
            return
        request, item = self.request, self._item(self._messages.index(message), complete=False)
        previous = self._conversation.open(item, self._last_id) if request.kept else None
        index = len(self._told)
        message.opened(index)
        self._told.append(message)
        self._sink.emit(ResponseItemAdded(request.response_id, item, previous, request.kept, index))

    def _close(self, message: AnswerMessage, item: Item, *, is_whole: bool = True) -> None:
        """Tell its end, once."""
        if message.is_done or message.output_index is None:
            return
        message.ended()
        request = self.request
        previous = self._conversation.before(item.id) if request.kept else None
        told = (request.response_id, item, message.text, previous, request.kept, message.output_index, is_whole)
        self._sink.emit(ResponseItemDone(*told))

    def _item(self, at: int, *, complete: bool) -> Item:
        marks = self._output.marks
        spoken = marks[at] if at < len(marks) else PlaybackMarks()
        return self._messages[at].item(self.request.response_options.modality, spoken, complete=complete)

    @property
    def _last_id(self) -> str | None:
        """Id of the last item that was told."""
        if not self._told:
            return None
        last = self._told[-1]
        return last.id if isinstance(last, Item) else last.item_id

    async def _emit_sound(self, sound: AsyncGenerator[tuple[int, bytes], None]) -> None:
        async with aclosing(sound):
            async for at, pcm in sound:
                message = self._message(at)
                for start in range(0, len(pcm), PIECE_BYTES):
                    await self._send(message, pcm[start : start + PIECE_BYTES])

    async def _send(self, message: AnswerMessage, pcm: bytes) -> None:
        offset_s = self._sent_ms / 1000
        end_ms = self._sent_ms + AudioChunk(pcm).duration_ms
        if self._playback_began is None:
            self._playback_began = _now()  # the first piece
        elif (late_s := _now() - self._playback_began - offset_s) > 0:  # playback has run dry
            self._playback_began += late_s
            self._gaps += late_s >= GAP_S
        await asyncio.sleep(self._playback_began + end_ms / 1000 - AHEAD_S - _now())
        timings = None
        if self._first_sent is None:
            self._first_sent = _now()
            timings = self.timings()
        self._end_before(message)
        message.sounds(self._sent_ms, end_ms)
        self._sent_ms = end_ms
        self._give(message, AudioDelta(self.request.response_id, message.item_id, pcm, timings))

    def _end_before(self, message: AnswerMessage) -> None:
        """Tell the end of every message whose sound was before that one's."""
        while self._messages[self._sounding] is not message:
            before = self._messages[self._sounding]
            if before.truncated_ms is None and not self._is_done:
                self._close(before, self._item(self._sounding, complete=True))
            self._sounding += 1

    def _silence(self, status: Status) -> Silence | None:
        """Why there is no word, of an answer that has ended well."""
        if self._told or status != "completed":
            return None
        if self._output.first_chunks.text is not None:
            return "unspoken"
        asked = self._output.began and self.request.response_options.say is None
        return "model" if asked else "no_words"


def _now() -> float:
    return asyncio.get_running_loop().time()
