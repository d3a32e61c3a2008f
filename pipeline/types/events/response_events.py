"""What a session tells of an answer, from when it is on its way until the engines have let go of it. Frozen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pipeline.types.chunks import TokenUsage
from pipeline.types.history import Item
from pipeline.types.turn_request import ResponseOptions

Status = Literal["completed", "incomplete", "cancelled", "failed"]  # incomplete: there was no room for more
CancelReason = Literal["turn_detected", "client_cancelled", "shutting_down"]
# Why an answer is silence: the model chose it; nothing was said, or asked to be; what it wrote has no sound.
Silence = Literal["model", "no_words", "unspoken"]


@dataclass(frozen=True, slots=True)
class ResponseCreated:
    """An answer is on its way.

    Attributes:
        kept: It joins the conversation. Else it answers something on the side.
    """

    response_id: str
    response_options: ResponseOptions
    metadata: Mapping[str, str]
    kept: bool = True


@dataclass(frozen=True, slots=True)
class ResponseItemAdded:
    """The first words of a message have come: the answer is not silence."""

    response_id: str
    item: Item
    previous_item_id: str | None
    kept: bool = True
    output_index: int = 0


@dataclass(frozen=True, slots=True)
class ResponseItemDone:
    """A message of an answer has ended: all of it was told, or the answer was stopped.

    Attributes:
        text: All that was told of it by `TextDelta` or `TranscriptDelta`, whatever was heard of it.
        previous_item_id: What stands in front of the item by now; None too if the caller has deleted it.
        is_whole: It was not stopped.
    """

    response_id: str
    item: Item
    text: str
    previous_item_id: str | None
    kept: bool = True
    output_index: int = 0
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class FunctionCalled:
    """The answer calls a function: it has fitting arguments, and the turn is certain.

    Attributes:
        output_index: Its place among the items of the answer.
    """

    response_id: str
    item: Item
    previous_item_id: str | None
    output_index: int = 0
    kept: bool = True


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Words of a written answer."""

    response_id: str
    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class TranscriptDelta:
    """Words of a spoken answer, and when they are spoken, in milliseconds from the first sample of the message."""

    response_id: str
    item_id: str
    text: str
    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class AudioDelta:
    """Sound of a spoken answer.

    Attributes:
        pcm: PCM16, 24 kHz mono.
        timings: With the first one, what has happened until then; as in `ResponseDone`.
    """

    response_id: str
    item_id: str
    pcm: bytes
    timings: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class ResponseDone:
    """The last event of an answer.

    Attributes:
        output: Its items in order: messages and function calls. Empty: it was silence, or nothing came of it.
        text: All that was told by `TextDelta` or `TranscriptDelta`, whatever was heard of it.
        reason: Why it was cancelled.
        error: Why it failed, in words for the caller.
        usage: What it took, whether it was told or not.
        timings: Seconds on the session's clock, by the name of the moment.
        kept: It has joined the conversation.
        silence: Why it has no word, if it ended well without one.
        error_code: Of what failed.
        gaps: How often its sound came too late, so that playback had run dry.
        session_began: When the clock of `timings` stood at 0, on the loop's clock in seconds.
        ended: When each stage had let go of it, if it has, on the loop's clock in seconds.
    """

    response_id: str
    response_options: ResponseOptions
    metadata: Mapping[str, str]
    status: Status
    output: tuple[Item, ...] = ()
    text: str = ""
    reason: CancelReason | None = None
    error: str | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)
    timings: Mapping[str, float] = field(default_factory=dict)
    kept: bool = True
    silence: Silence | None = None
    error_code: str = "engine_failed"
    gaps: int = 0
    session_began: float = 0.0
    ended: Mapping[str, float] = field(default_factory=dict)

    @property
    def item(self) -> Item | None:
        """The first message; None: it has no words."""
        return next((item for item in self.output if item.kind == "message"), None)

    @property
    def calls(self) -> tuple[Item, ...]:
        """The functions that it calls, in order."""
        return tuple(item for item in self.output if item.kind == "function_call")


@dataclass(frozen=True, slots=True)
class EnginesReleased:
    """The engines have let go of an answer that was cancelled. It comes after the answer's last event.

    Attributes:
        took: Seconds from the cancel, by the stage that was at work.
    """

    response_id: str
    took: Mapping[str, float]


ResponseEvent = (
    ResponseCreated
    | ResponseItemAdded
    | ResponseItemDone
    | FunctionCalled
    | TextDelta
    | TranscriptDelta
    | AudioDelta
    | ResponseDone
    | EnginesReleased
)
