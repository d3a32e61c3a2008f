"""One message of an answer: its words, its place among the answer's items, and how much of it was heard."""

from dataclasses import dataclass, field

from pipeline.types.history import Channel, Item
from pipeline.types.playback_marks import PlaybackMarks


@dataclass(slots=True)
class AnswerMessage:
    """What is said between two function calls, or before the first one, or behind the last one.

    Attributes:
        has_words: Something of it was written, whether it is spoken yet or not.
        output_index: Its place among the items of the answer; None: nobody was told of it.
        is_done: Its end was told.
        begins_ms: Where its sound begins in the answer's; None: none of it was sent.
        ends_ms: Where its sound ends, as far as it was sent.
        truncated_ms: How much of it the caller says that they have heard.
    """

    item_id: str
    has_words: bool = False
    output_index: int | None = None
    is_done: bool = False
    begins_ms: float | None = None
    ends_ms: float = 0.0
    truncated_ms: float | None = None
    texts: list[str] = field(default_factory=list)

    @property
    def is_under_way(self) -> bool:
        """Its beginning was told, and its end was not."""
        return self.output_index is not None and not self.is_done

    @property
    def text(self) -> str:
        """What was told of it."""
        return "".join(self.texts)

    def played_ms(self, answer_ms: float) -> float:
        """How much of it was heard once `answer_ms` of the answer's sound has been played."""
        if self.truncated_ms is not None:
            return self.truncated_ms
        if self.begins_ms is None:
            return 0.0
        return max(0.0, min(self.ends_ms, answer_ms) - self.begins_ms)

    def wrote(self, text: str) -> None:
        """Note that `text` was written for it."""
        self.has_words = self.has_words or bool(text.strip())

    def opened(self, output_index: int) -> None:
        """Note that its beginning is told."""
        self.output_index = output_index

    def ended(self) -> None:
        """Note that its end is told."""
        self.is_done = True

    def sounds(self, begins_ms: float, ends_ms: float) -> None:
        """Note that this piece of the answer's sound is its."""
        self.begins_ms = begins_ms if self.begins_ms is None else self.begins_ms
        self.ends_ms = ends_ms

    def truncate(self, played_ms: float) -> None:
        """Note that the caller has heard only so much of it."""
        self.truncated_ms = played_ms

    def item(self, channel: Channel, marks: PlaybackMarks, *, complete: bool) -> Item:
        """The message as an item of the history, with all that it was to say."""
        return Item(self.item_id, "assistant", self.text, channel, complete=complete, marks=marks)
