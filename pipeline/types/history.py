"""What was said, heard and seen in a conversation. Frozen: every change makes a new history."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Literal

from pipeline.errors import RequestError
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import VideoChunk
from pipeline.types.chat_messages import chat_messages
from pipeline.types.chunks import ChatMessage, Role
from pipeline.types.playback_marks import PlaybackMarks

FRONT = "root"  # the protocol's name for the place before the first item

Channel = Literal["text", "audio"]
ItemKind = Literal["message", "function_call", "function_call_output"]


@dataclass(frozen=True, slots=True)
class Item:
    """One message of the conversation, a function call, or the output of one.

    Attributes:
        role: Of a call that of the model, of an output that of the person, though they have not said it.
        text: As the model is to see it; for an answer only what was heard of it. Of a call its arguments, as JSON.
        channel: How it was said: typed or written, or spoken.
        complete: False for an answer that was cut short.
        marks: When which words of a spoken answer are heard. Not compared: two items with the same text ask the same.
        images: How many pictures came with it.
        pictures: The pictures that a model looks at; none if it cannot see, or has forgotten the item.
        reserved: Only the place of an answer that has no words yet: nobody knows of it.
        language: ISO 639-1 code of what was spoken, as it was heard; empty: nobody knows.
        call_id: Names a call, for its output. Empty: a message.
        name: Of the function that is called.
        sound: Of what was said, for a model that hears it; None: it is known by its text alone.
        transcript: What a recogniser has written of `sound`, for whoever reads the conversation: it becomes `text` when
            the sound goes. Not compared: who hears the sound asks no one for words.
    """

    id: str
    role: Role
    text: str
    channel: Channel = "text"
    complete: bool = True
    marks: PlaybackMarks = field(default=PlaybackMarks(), compare=False, repr=False)
    images: int = 0
    pictures: tuple[VideoChunk, ...] = ()
    reserved: bool = False
    language: str = ""
    kind: ItemKind = "message"
    call_id: str = ""
    name: str = ""
    sound: SpokenSound | None = None
    transcript: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """What was said or written, for whoever reads the conversation."""
        return self.text or self.transcript

    def without_sound(self) -> "Item":
        return replace(self, sound=None, text=self.words, transcript="")

    @property
    def is_question(self) -> bool:
        """A person has said or written it."""
        return self.role == "user" and self.kind == "message"

    def heard(self, played_ms: float) -> "Item":
        """Returns a spoken answer cut to what was heard in its first `played_ms`; another item stays as it is.

        May be asked again of its result: the latest figure holds.
        """
        if not self.marks.marks:
            return self
        whole = self.complete and played_ms >= self.marks.duration_ms
        return replace(self, text=self.marks.heard(played_ms), complete=whole)


@dataclass(frozen=True, slots=True)
class VideoTurn:
    """A second of what the camera saw.

    Attributes:
        after: Id of the item behind which it stands, with the rounds that joined there before it; None: in front.
    """

    clip: VideoChunk
    after: str | None = None


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What a model no longer remembers.

    Attributes:
        video_turns: Names of the clips that go.
        items: Ids of the items that it does not see; the caller still does.
        sounds: Ids of the items that it is told by their words from now on.
    """

    video_turns: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    sounds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class History:
    """The conversation, oldest item first, and what was seen meanwhile.

    Attributes:
        forgotten: Ids of the items that a model no longer sees.
        is_live: What was seen last was there a moment ago; False: the camera has stopped since, or was never on.
    """

    items: tuple[Item, ...] = ()
    video_turns: tuple[VideoTurn, ...] = ()
    forgotten: frozenset[str] = frozenset()
    is_live: bool = False

    def find(self, item_id: str) -> Item | None:
        return next((item for item in self.items if item.id == item_id and not item.reserved), None)

    def before(self, item_id: str) -> str | None:
        """The id of the item in front of `item_id`, or None if it is the first."""
        known = [item.id for item in self.until(item_id).items if not item.reserved]
        return known[-1] if known else None

    def until(self, item_id: str) -> "History":
        """All that stands in front of that item; everything, if it has gone."""
        items = tuple(takewhile(lambda item: item.id != item_id, self.items))
        places = {None, *(item.id for item in items)}
        return replace(self, items=items, video_turns=tuple(each for each in self.video_turns if each.after in places))

    def check_new(self, item_id: str) -> None:
        """Checks that an item's id is not taken.

        Raises:
            RequestError: An item of that id is here already. That of a deleted one may be given again.
        """
        if self.find(item_id):
            raise RequestError("item_create_duplicate_item_id", f"item {item_id!r} exists already", "item.id")

    def with_item(self, item: Item, after: str | None = None) -> "History":
        """`item` joins behind `after` (an id, or `FRONT`), by default at the end.

        Behind the item in front of a reserved place means behind that place, too: nobody can name it.

        Raises:
            RequestError: An item of that id is here already, or `after` is not.
        """
        self.check_new(item.id)
        if item.kind == "function_call" and any(item.call_id == other.call_id for other in self.items):
            raise RequestError("invalid_value", f"item.call_id: {item.call_id!r} exists already", "item.call_id")
        if after not in (None, FRONT) and not self.find(after):
            raise RequestError("invalid_value", f"there is no item {after!r}", "previous_item_id")
        ids = [each.id for each in self.items]
        position = len(ids) if after is None else 0 if after == FRONT else ids.index(after) + 1
        while position < len(ids) and self.items[position].reserved:
            position += 1
        return replace(self, items=(*self.items[:position], item, *self.items[position:]))

    def with_answer_item(self, item: Item, after: str) -> "History":
        """`item` of an answer joins directly behind the one of it that was told before; at the end, if that has gone.

        A place that was reserved for it goes.
        """
        history = self.without(item.id) if any(each.id == item.id for each in self.items) else self
        ids = [each.id for each in history.items]
        position = ids.index(after) + 1 if after in ids else len(ids)
        return replace(history, items=(*history.items[:position], item, *history.items[position:]))

    def check_output(self, output: Item) -> None:
        """Checks that the output of a call belongs to one that has none yet.

        Raises:
            RequestError: There is no such call, or its output is here already.
        """
        kinds = {item.kind for item in self.items if item.call_id == output.call_id}
        if "function_call" not in kinds:
            message = f"item.call_id: there is no function call {output.call_id!r}"
            raise RequestError("invalid_value", message, "item.call_id")
        if "function_call_output" in kinds:
            message = f"item.call_id: the function call {output.call_id!r} has its output already"
            raise RequestError("invalid_value", message, "item.call_id")

    def with_text(self, item_id: str, text: str, language: str = "") -> "History":
        """Returns the conversation with another text, spoken in that language, in one item; unchanged if the item has
        gone."""
        item = self.find(item_id)
        return self.with_changed(replace(item, text=text, language=language)) if item else self

    def with_transcript(self, item_id: str, text: str, language: str = "") -> "History":
        """Returns the conversation with what a recogniser has written beside an item's sound; of one that has none, as
        its text. Unchanged if the item has gone."""
        item = self.find(item_id)
        if item is None or item.sound is None:
            return self.with_text(item_id, text, language)
        return self.with_changed(replace(item, transcript=text))

    def with_changed(self, changed: Item) -> "History":
        """`changed` in the place of the item with its id; unchanged if that has gone."""
        return replace(self, items=tuple(changed if item.id == changed.id else item for item in self.items))

    def without(self, item_id: str) -> "History":
        """What was seen behind it then stands behind the item in front of it."""
        in_front = self.until(item_id).items
        front = in_front[-1].id if in_front else None
        video_turns = tuple(replace(each, after=front) if each.after == item_id else each for each in self.video_turns)
        items = tuple(item for item in self.items if item.id != item_id)
        return replace(self, items=items, video_turns=video_turns, forgotten=self.forgotten - {item_id})

    def with_video_turn(self, clip: VideoChunk) -> "History":
        """`clip` was seen after all that has been said so far."""
        return self.with_video_turns([clip])

    def with_video_turns(self, clips: Iterable[VideoChunk]) -> "History":
        """The clips were seen, one after the other, after all that has been said so far."""
        last = self.items[-1].id if self.items else None
        return replace(self, video_turns=(*self.video_turns, *(VideoTurn(clip, last) for clip in clips)))

    def cut(self, cut: PrunePlan) -> "History":
        video_turns = tuple(each for each in self.video_turns if each.clip.id not in cut.video_turns)
        silent = cut.sounds | cut.items
        items = tuple(item.without_sound() if item.sound and item.id in silent else item for item in self.items)
        items = tuple(replace(item, pictures=()) if item.id in cut.items else item for item in items)
        return replace(self, items=items, video_turns=video_turns, forgotten=self.forgotten | cut.items)

    def heard(self, item_id: str, played_ms: float) -> "History":
        """Returns the conversation with a spoken answer cut to its first `played_ms` (`Item.heard`)."""
        item = self.find(item_id)
        return self.with_changed(item.heard(played_ms)) if item else self

    @property
    def language(self) -> str:
        """ISO 639-1 code of what the person spoke in last; empty if they wrote, or nobody knows."""
        return next((item.language for item in reversed(self.items) if item.is_question), "")

    def messages(self) -> tuple[ChatMessage, ...]:
        """The conversation as prompt messages; what has no words is left out."""
        return chat_messages(self.items)
