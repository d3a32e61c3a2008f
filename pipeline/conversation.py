"""The items of one session: who changes them tells the caller, in this one place."""

from collections.abc import Callable

from pipeline.errors import RequestError
from pipeline.events import Event, ItemAdded, ItemDeleted, ItemTruncated
from pipeline.history import History, Item


class Conversation:
    """Holds the newest `History`.

    Every method raises `RequestError` for an item that is not there, and leaves all as it was.
    """

    def __init__(self, history: History, tell: Callable[[Event], None]) -> None:
        self.history = history
        self._tell = tell

    def add(self, item: Item, after: str | None = None) -> str | None:
        """Take in `item` without telling; returns the id of the item in front of it."""
        self.history = self.history.with_item(item, after)
        return self.history.before(item.id)

    def create(self, item: Item, after: str | None = None) -> None:
        previous = self.add(item, after)
        self._tell(ItemAdded(item, previous))

    def put(self, item: Item) -> None:
        """`item` takes the place of the one with its id; nothing happens if the caller has deleted that."""
        self.history = self.history.with_changed(item)

    def reword(self, item_id: str, text: str) -> None:
        """What was said has been understood; nothing happens if the caller has deleted it."""
        self.history = self.history.with_text(item_id, text)

    def delete(self, item_id: str) -> None:
        self.find(item_id, "item_delete_invalid_item_id")
        self.history = self.history.without(item_id)
        self._tell(ItemDeleted(item_id))

    def truncate(self, item_id: str, played_ms: int) -> None:
        """Only what was heard in the first `played_ms` of a spoken answer stays."""
        item = self.find(item_id, "item_truncate_invalid_item_id")
        if item.role != "assistant":
            raise RequestError("item_truncate_invalid_item_id", f"item {item_id!r} is not an answer", "item_id")
        self.history = self.history.heard(item_id, played_ms)
        self._tell(ItemTruncated(item_id, played_ms))

    def find(self, item_id: str, code: str = "item_retrieve_invalid_item_id") -> Item:
        if item := self.history.find(item_id):
            return item
        raise RequestError(code, f"there is no item {item_id!r}", "item_id")
