"""The items of one session: who changes them tells the caller, in this one place."""

from collections.abc import Iterable
from dataclasses import replace

from pipeline.context.window import WindowLimits, cut_sound
from pipeline.errors import RequestError
from pipeline.media.video_chunk import VideoChunk
from pipeline.types.events.event_sink import EventSink
from pipeline.types.events.input_events import ItemAdded, ItemDeleted, ItemTruncated
from pipeline.types.history import History, Item, PrunePlan


class Conversation:
    """Holds the newest `History`.

    An answer has its place from when it is asked for: behind all that stands here then, which is what it answers.
    Until its first word that place is reserved, and nobody is told of it. What is said, written or seen meanwhile
    stands behind it, and is not answered by it; of an answer without words no place stays. So whoever puts each item
    directly behind the one that they are told is in front of it, in the order in which they are told, has the order
    of the conversation: the answer in front of what was added behind the same item before.

    Every method raises `RequestError` for an item that is not there, and leaves all as it was.

    Attributes:
        deleted: How many items have been: after the next one, an id that is known may be another item's.
    """

    def __init__(self, history: History, sink: EventSink) -> None:
        self.history = history
        self.deleted = 0
        self._sink = sink

    def add(self, item: Item, after: str | None = None) -> str | None:
        """Take in `item` without telling; returns the id of the item in front of it."""
        self.history = self.history.with_item(item, after)
        return self.history.before(item.id)

    def create(self, item: Item, after: str | None = None) -> None:
        if item.kind == "function_call_output":
            self.history.check_output(item)
        previous = self.add(item, after)
        self._sink.emit(ItemAdded(item, previous))

    def reserve(self, item_id: str) -> None:
        """The place of the answer that is to be the item of that id."""
        self.history = self.history.with_item(Item(item_id, "assistant", "", reserved=True))

    def open(self, item: Item, after: str | None = None) -> str | None:
        """Put `item`, which has its first word, into its reserved place; returns the id of the item in front of it.

        Args:
            after: Id of the item of the same answer that was told before it, behind which it stands; None: it is the
                first one.
        """
        if after is None:
            self.put(item)
        else:
            self.history = self.history.with_answer_item(item, after)
        return self.history.before(item.id)

    def call(self, call: Item, after: str) -> str | None:
        """Take in a function call of an answer; returns the id of the item in front of it.

        Args:
            after: Id of the item of the same answer that was told before it, or of the place of its first words.
        """
        self.history = self.history.with_answer_item(call, after)
        return self.history.before(call.id)

    def before(self, item_id: str) -> str | None:
        """The id of the item in front of that one; None if there is none, or that one has gone."""
        return self.history.before(item_id) if self.history.find(item_id) else None

    def withdraw(self, item_id: str) -> None:
        """Take an item out of the conversation."""
        self.history = self.history.without(item_id)

    def put(self, item: Item) -> None:
        """`item` takes the place of the one with its id; nothing happens if the caller has deleted that."""
        self.history = self.history.with_changed(item)

    def reword(self, item_id: str, text: str, language: str = "") -> None:
        """What was said has been understood; nothing happens if the caller has deleted it."""
        self.history = self.history.with_text(item_id, text, language)

    def transcribe(self, item_id: str, text: str, language: str = "") -> None:
        """What was said was written down beside its sound, which is what is answered; nothing happens if the caller has
        deleted it."""
        self.history = self.history.with_transcript(item_id, text, language)

    def see(self, clips: Iterable[VideoChunk], *, is_live: bool = True) -> None:
        """The clips were seen after all that has been said so far.

        Args:
            is_live: What was seen last was there a moment ago.
        """
        self.history = replace(self.history.with_video_turns(clips), is_live=is_live)

    def forget(self, cut: PrunePlan) -> None:
        """Prune what `cut` names: the model sees it no longer, the caller does."""
        self.history = self.history.cut(cut)

    def forget_sound(self, limits: WindowLimits, slack: float = 1.0) -> None:
        """The oldest spoken items are told by their words, where there are more than a model is given as sound.

        Args:
            slack: How much of the slack they may take.
        """
        if plan := cut_sound(self.history, limits, slack=slack):
            self.forget(plan)

    def delete(self, item_id: str) -> None:
        self.find(item_id, "item_delete_invalid_item_id")
        self.history = self.history.without(item_id)
        self.deleted += 1
        self._sink.emit(ItemDeleted(item_id))

    def truncate(self, item_id: str, played_ms: int) -> None:
        """Only what was heard in the first `played_ms` of a spoken answer stays."""
        item = self.find(item_id, "item_truncate_invalid_item_id")
        if item.role != "assistant" or item.kind != "message":
            raise RequestError("item_truncate_invalid_item_id", f"item {item_id!r} is not an answer", "item_id")
        self.history = self.history.heard(item_id, played_ms)
        self._sink.emit(ItemTruncated(item_id, played_ms))

    def find(self, item_id: str, code: str = "item_retrieve_invalid_item_id") -> Item:
        if item := self.history.find(item_id):
            return item
        raise RequestError(code, f"there is no item {item_id!r}", "item_id")
