"""This module keeps LiveKit's and the pipeline's view of the conversation in line."""

from collections.abc import Iterator
from typing import Any, Literal

from livekit.agents import llm

from pipeline.realtime.client import Event

REMEMBERED = 40  # items given to a new session after the old one is lost


class ChatContextMirror:
    """The history mirrors the pipeline's items that have words; frames stay in the pipeline."""

    def __init__(self) -> None:
        self.items = llm.ChatContext.empty()
        self._unconfirmed: list[str] = []  # what the pipeline was told to add, and has not said that it did
        self._settled: set[str] = set()  # answers of which the pipeline says nothing new any more

    def told(self, item: dict[str, Any], after: str | None) -> None:
        """Take an item that joined the pipeline's conversation, or is complete.

        Args:
            after: Id of the item in front of it; None: it is the first.
        """
        self.confirm(item["id"])
        if item.get("type") != "message":
            return
        words = "".join(part.get("transcript") or part.get("text") or "" for part in item.get("content") or [])
        if item["role"] == "assistant" and item["id"] not in self._settled:
            self._put("assistant", item["id"], words, self._behind(after))
        elif item["role"] == "user" and self.items.get_by_id(item["id"]) is None:
            self._put("user", item["id"], words, self._behind(after))

    def said(self, item_id: str, text: str) -> None:
        """Take the transcript of a person's item."""
        self._put("user", item_id, text)

    def heard(self, item_id: str, text: str) -> None:
        """Keep only this much of an item: the agent was interrupted."""
        self._settled.add(item_id)
        self._put("assistant", item_id, text)

    def confirm(self, item_id: str) -> None:
        """Note that the pipeline has taken or refused the item."""
        self._unconfirmed = [each for each in self._unconfirmed if each != item_id]

    def forget(self, item_id: str) -> None:
        """Take the item out, whatever is still told of it."""
        self.confirm(item_id)
        self._settled.add(item_id)
        self.items.items[:] = [item for item in self.items.items if item.id != item_id]

    def follow(self, wanted: llm.ChatContext) -> Iterator[Event]:
        """Become `wanted`, step by step: each yields what the pipeline must be told, and is taken when that has been.

        LiveKit leaves out an answer of which nothing was heard. A person's item is never taken back:
        LiveKit learns of it later than the pipeline.
        """
        kept = {item.id for item in wanted.items}
        for item in list(self.items.items):
            if isinstance(item, llm.ChatMessage) and item.role == "assistant" and item.id not in kept:
                yield {"type": "conversation.item.delete", "item_id": item.id}
                self.forget(item.id)
        for item in wanted.items:
            if self._is_new(item):
                yield _created(item)
                self.items.items.append(item.model_copy())
                self._unconfirmed.append(item.id)

    def replay(self) -> list[Event]:
        """Return what a pipeline that knows nothing of the conversation must be told."""
        items = [item for item in self.items.items[-REMEMBERED:] if _words(item)]
        self._unconfirmed = [item.id for item in items]
        return [_created(item) for item in items]

    def unconfirmed(self) -> list[Event]:
        """Return what a pipeline that still knows the conversation may not have got: it left on a line that broke."""
        items = (self.items.get_by_id(item_id) for item_id in self._unconfirmed)
        return [_created(item) for item in items if item]

    def _is_new(self, item: llm.ChatItem) -> bool:
        return bool(_words(item)) and self.items.get_by_id(item.id) is None

    def _behind(self, after: str | None) -> int | None:
        """Return the place behind that item, or None for the end if the item is not known here."""
        at = -1 if after is None else self.items.index_by_id(after)
        return None if at is None else at + 1

    def _put(self, role: Literal["user", "assistant"], item_id: str, text: str, place: int | None = None) -> None:
        known = self.items.get_by_id(item_id)
        if isinstance(known, llm.ChatMessage):
            known.content = [text]
        else:
            place = len(self.items.items) if place is None else place
            self.items.items.insert(place, llm.ChatMessage(role=role, id=item_id, content=[text]))


def _words(item: llm.ChatItem) -> str:
    if isinstance(item, llm.ChatMessage) and item.role in ("user", "assistant"):
        return item.raw_text_content or ""
    return ""


def _created(item: llm.ChatItem) -> Event:
    assert isinstance(item, llm.ChatMessage)
    kind = "input_text" if item.role == "user" else "output_text"
    return {
        "type": "conversation.item.create",
        "event_id": item.id,
        "item": {
            "id": item.id,
            "type": "message",
            "role": item.role,
            "content": [{"type": kind, "text": item.raw_text_content or ""}],
        },
    }
