"""This module keeps LiveKit's and the pipeline's view of the conversation in line."""

from base64 import b64encode
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from livekit.agents import llm

from pipeline.realtime.client import Event

REMEMBERED = 40  # items given to a new session after the old one is lost
MOST_PICTURES = 4  # that are given to it, too, and that wait for their messages
A_PICTURE = "(I am showing you this picture.)"  # the words of a message that is only a picture


class ChatContextMirror:
    """The history mirrors the pipeline's items that have words, and keeps the pictures that were sent with them; frames
    stay in the pipeline.

    Args:
        before: What was said before this session: another agent has taken the call over.
    """

    def __init__(self, before: Iterable[llm.ChatMessage] = ()) -> None:
        self.items = llm.ChatContext(list(before))
        self._unconfirmed: list[str] = []  # what the pipeline was told to add, and has not said that it did
        self._coming: deque[tuple[str, bytes]] = deque(maxlen=MOST_PICTURES)  # with the words that they come with
        self._pictures: OrderedDict[str, bytes] = OrderedDict()  # by item
        self._settled: set[str] = set()  # answers of which the pipeline says nothing new any more
        self._out_of_band: set[str] = set()  # what was said and is in no conversation

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

    def heard(self, item_id: str, text: str) -> bool:
        """Keep only this much of an item: the agent was interrupted; returns whether there is such an item."""
        if item_id in self._out_of_band:
            return False
        self._settled.add(item_id)
        self._put("assistant", item_id, text)
        return True

    def leave_out(self, item_id: str) -> None:
        """Never take that item: it is said, and the pipeline's conversation does not keep it."""
        self._out_of_band.add(item_id)

    def expect(self, words: str, jpeg: bytes) -> None:
        """The person's next message with these words that has no picture yet comes with this one."""
        self._coming.append((words, jpeg))

    def show(self, jpeg: bytes) -> Event:
        """Add a message that is only a picture; returns what the pipeline must be told."""
        item = llm.ChatMessage(role="user", content=[A_PICTURE])
        _keep(self._pictures, item.id, jpeg)
        self.items.items.append(item)
        self._unconfirmed.append(item.id)
        return self._created(item)

    def called(self, call: llm.FunctionCall) -> None:
        """Take a call of a function that the pipeline has made."""
        if self.items.get_by_id(call.id) is None:
            self.items.items.append(call.model_copy())

    def answer(self, output: llm.FunctionCallOutput) -> Event | None:
        """Add what a function returned; returns what the pipeline must be told, once for each call that it made."""
        calls = {item.call_id for item in self.items.items if isinstance(item, llm.FunctionCall)}
        answered = {item.call_id for item in self.items.items if isinstance(item, llm.FunctionCallOutput)}
        if output.call_id not in calls - answered:
            return None
        self.items.items.append(output.model_copy())
        self._unconfirmed.append(output.id)
        return self._created(output)

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
                if coming := next((each for each in self._coming if each[0] == _words(item)), None):
                    self._coming.remove(coming)
                    _keep(self._pictures, item.id, coming[1])
                yield self._created(item)
                self.items.items.append(item.model_copy())
                self._unconfirmed.append(item.id)

    def replay(self) -> list[Event]:
        """Return what a pipeline that knows nothing of the conversation must be told."""
        items = [item for item in self.items.items[-REMEMBERED:] if _words(item) or _is_call(item)]
        items = list(_whole(items))
        self._unconfirmed = [item.id for item in items]
        return [self._created(item) for item in items]

    def unconfirmed(self) -> list[Event]:
        """Return what a pipeline that still knows the conversation may not have got: it left on a line that broke."""
        items = (self.items.get_by_id(item_id) for item_id in self._unconfirmed)
        return [self._created(item) for item in items if item]

    def _created(self, item: llm.ChatItem) -> Event:
        return _created(item, self._pictures.get(item.id))

    def _is_new(self, item: llm.ChatItem) -> bool:
        known = item.id in self._settled or item.id in self._out_of_band or self.items.get_by_id(item.id) is not None
        return bool(_words(item)) and not known

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


def _image(jpeg: bytes | None) -> list[dict[str, str]]:
    if not jpeg:
        return []
    return [{"type": "input_image", "image_url": f"data:image/jpeg;base64,{b64encode(jpeg).decode()}"}]


def _keep(pictures: OrderedDict[str, bytes], name: str, jpeg: bytes) -> None:
    pictures[name] = jpeg
    while len(pictures) > MOST_PICTURES:
        pictures.popitem(last=False)


def _words(item: llm.ChatItem) -> str:
    if isinstance(item, llm.ChatMessage) and item.role in ("user", "assistant"):
        return item.raw_text_content or ""
    return ""


def _is_call(item: llm.ChatItem) -> bool:
    return isinstance(item, llm.FunctionCall | llm.FunctionCallOutput)


def _whole(items: list[llm.ChatItem]) -> Iterator[llm.ChatItem]:
    """The same without outputs whose calls are too old to be among them."""
    calls = {item.call_id for item in items if isinstance(item, llm.FunctionCall)}
    return (item for item in items if not isinstance(item, llm.FunctionCallOutput) or item.call_id in calls)


def _created(item: llm.ChatItem, jpeg: bytes | None) -> Event:
    if isinstance(item, llm.FunctionCall):
        called = {"call_id": item.call_id, "name": item.name, "arguments": item.arguments}
        return _create(item.id, {"type": "function_call", **called})
    if isinstance(item, llm.FunctionCallOutput):
        return _create(item.id, {"type": "function_call_output", "call_id": item.call_id, "output": item.output})
    assert isinstance(item, llm.ChatMessage)
    kind = "input_text" if item.role == "user" else "output_text"
    content = [{"type": kind, "text": item.raw_text_content or ""}, *_image(jpeg)]
    return _create(item.id, {"type": "message", "role": item.role, "content": content})


def _create(item_id: str, item: dict[str, Any]) -> Event:
    return {"type": "conversation.item.create", "event_id": item_id, "item": {"id": item_id, **item}}
