"""The items of an answer: messages, and calls of functions between them, as the caller is told of each."""

from pipeline.context.conversation import Conversation
from pipeline.session.answer_message import AnswerMessage
from pipeline.session.response_request import ResponseRequest
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.chunks import TextChunk
from pipeline.types.events.event_sink import EventSink
from pipeline.types.events.response_events import (
    AudioDelta,
    FunctionCalled,
    ResponseItemAdded,
    ResponseItemDone,
    Status,
    TextDelta,
    TranscriptDelta,
)
from pipeline.types.function_tools import FunctionCall
from pipeline.types.history import Item
from pipeline.types.ids import item_name
from pipeline.types.playback_marks import PlaybackMark, PlaybackMarks


class AnswerItems:
    """Opens each item before its first word, and closes it behind its last.

    Words are written before they are heard: one message may be written while one before it is still spoken.
    """

    def __init__(
        self, request: ResponseRequest, output: SpeculativeOutput, conversation: Conversation, sink: EventSink
    ) -> None:
        self._request, self._output, self._conversation, self._sink = request, output, conversation, sink
        self._messages = [AnswerMessage(request.item_id)]
        self._writing = self._sounding = 0  # which of the messages is written, and which is heard
        self._told: list[AnswerMessage | Item] = []  # and calls, in their order
        self._is_done = False

    @property
    def text(self) -> str:
        """All text that was told so far."""
        return "".join(message.text for message in self._messages)

    @property
    def is_silent(self) -> bool:
        """Whether nothing was told: no word, no call."""
        return not self._told

    @property
    def has_opened(self) -> bool:
        """Whether any words were told."""
        return any(isinstance(each, AnswerMessage) for each in self._told)

    @property
    def first(self) -> AnswerMessage:
        """The message that the answer begins with, whether anything was told of it or not."""
        return self._messages[0]

    def is_telling(self, item_id: str) -> bool:
        """Whether a message of that id is under way."""
        return any(message.is_under_way for message in self._messages if message.item_id == item_id)

    def write(self, chunk: TextChunk) -> None:
        """Take words as they are written; the caller is told if they will not be spoken."""
        message, text = self._message(self._writing), chunk.text
        message.wrote(text)
        text = text if message.texts or not self._writing else text.lstrip()
        if text and self._request.response_options.modality == "text":
            self._give(message, TextDelta(self._request.response_id, message.item_id, text))

    def speak(self, mark: PlaybackMark) -> None:
        """Take words that have sound, and tell the caller."""
        message = self._message(mark.message)
        response_id = self._request.response_id
        self._give(message, TranscriptDelta(response_id, message.item_id, mark.text, mark.start_ms, mark.end_ms))

    def call(self, call: FunctionCall) -> None:
        """Tell of a call, behind the words that were written before it: these may still be spoken meanwhile."""
        if self._is_done:
            return
        before = self._message(self._writing)
        if before.has_words:
            self._open(before)
            if self._request.response_options.modality == "text":
                self._close(before, self._item(self._writing, complete=True))
            self._writing += 1
        request = self._request
        item = Item(
            item_name(), "assistant", call.arguments, kind="function_call", call_id=call.call_id, name=call.name
        )
        previous = self._conversation.call(item, self._last_id or request.item_id) if request.kept else None
        index = len(self._told)
        self._told.append(item)
        self._sink.emit(FunctionCalled(request.response_id, item, previous, index, request.kept))

    def sound(
        self, at: int, pcm: bytes, place_ms: tuple[float, float], timings: dict[str, float] | None = None
    ) -> None:
        """Tell a piece of the sound of message `at`; whatever sounded before it has ended.

        Args:
            place_ms: Where in the answer's sound the piece begins and ends.
        """
        message = self._message(at)
        self._end_before(message)
        message.sounds(*place_ms)
        self._give(message, AudioDelta(self._request.response_id, message.item_id, pcm, timings))

    def truncate(self, item_id: str, played_ms: float) -> None:
        """The caller says that they have heard only so much of one of the messages."""
        for message in self._messages:
            if message.item_id == item_id:
                message.truncate(played_ms)

    def finish(self, status: Status, played_ms: float) -> tuple[Item, ...]:
        """Leave what was heard in the conversation, and tell the end of every message; returns all items in order.

        Nothing more is told.

        Args:
            played_ms: How much of the answer's sound was played.
        """
        self._is_done = True
        request, items = self._request, list[Item]()
        for each in self._told:
            if isinstance(each, Item):
                items.append(each)
                continue
            item = self._item(self._messages.index(each), complete=each.is_done or status == "completed")
            if status == "cancelled" or each.truncated_ms is not None:
                item = item.heard(each.played_ms(played_ms))
            if request.kept:
                self._conversation.put(item)
            items.append(item)
            self._close(each, item, is_whole=status in ("completed", "incomplete"))
        if not request.kept or self.first.output_index is None:
            self._conversation.withdraw(request.item_id)
        return tuple(items)

    def _message(self, at: int) -> AnswerMessage:
        while len(self._messages) <= at:
            self._messages.append(AnswerMessage(item_name()))
        return self._messages[at]

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
        request, item = self._request, self._item(self._messages.index(message), complete=False)
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
        request = self._request
        previous = self._conversation.before(item.id) if request.kept else None
        told = (request.response_id, item, message.text, previous, request.kept, message.output_index, is_whole)
        self._sink.emit(ResponseItemDone(*told))

    def _item(self, at: int, *, complete: bool) -> Item:
        marks = self._output.marks
        spoken = marks[at] if at < len(marks) else PlaybackMarks()
        return self._messages[at].item(self._request.response_options.modality, spoken, complete=complete)

    @property
    def _last_id(self) -> str | None:
        """Id of the last item that was told."""
        if not self._told:
            return None
        last = self._told[-1]
        return last.id if isinstance(last, Item) else last.item_id

    def _end_before(self, message: AnswerMessage) -> None:
        """Tell the end of every message whose sound was before that one's."""
        while self._messages[self._sounding] is not message:
            before = self._messages[self._sounding]
            if before.truncated_ms is None and not self._is_done:
                self._close(before, self._item(self._sounding, complete=True))
            self._sounding += 1
