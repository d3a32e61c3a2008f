"""What a session tells of its caller's input: sound, items of the conversation, and what a camera shows. Frozen."""

from dataclasses import dataclass
from typing import Literal

from pipeline.media.video_chunk import VideoSource
from pipeline.types.chunks import DraftOutcome
from pipeline.types.history import Item
from pipeline.types.hypothesis import Hypothesis
from pipeline.types.observation import Observation

Kind = Literal["speech", "backchannel", "noise"]


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """The session's own turn detection heard speech begin, at `audio_ms` of what was appended."""

    item_id: str
    audio_ms: int


@dataclass(frozen=True, slots=True)
class SpeechStopped:
    """The session's own turn detection has found the turn over, at `audio_ms` of what was appended."""

    item_id: str
    audio_ms: int


@dataclass(frozen=True, slots=True)
class InputCommitted:
    """The utterance is complete and has become an item."""

    item_id: str
    previous_item_id: str | None


@dataclass(frozen=True, slots=True)
class InputCleared:
    """What was heard since the last commit is forgotten."""


@dataclass(frozen=True, slots=True)
class PartialTranscript:
    """The newest hypothesis of an utterance, and what kind of sound it seems to be."""

    item_id: str
    hypothesis: Hypothesis
    kind: Kind


@dataclass(frozen=True, slots=True)
class EndOfTurnJudged:
    """The person is silent, and this is the probability (0 to 1) that they have finished, by how they sounded."""

    item_id: str
    probability: float


@dataclass(frozen=True, slots=True)
class TranscriptionCompleted:
    """All of a committed utterance has been transcribed.

    Attributes:
        text: Its words; empty: it has none.
        seconds: How long its sound is.
        drafts: What became of the draft of each pass over it; None: it had none.
        language: ISO 639-1 code of what was spoken; empty: nobody knows.
    """

    item_id: str
    text: str
    seconds: float
    drafts: tuple[DraftOutcome | None, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class TranscriptionFailed:
    """A committed utterance could not be heard to its end; `message` says why, in words for the caller."""

    item_id: str
    message: str


@dataclass(frozen=True, slots=True)
class EarlyAnswersEnded:
    """The turn of an utterance has ended in which answers were begun before the words were settled.

    Attributes:
        adopted: How many were right, and went on.
        discarded: How many were dropped.
    """

    item_id: str
    adopted: int
    discarded: int


@dataclass(frozen=True, slots=True)
class VideoSkipped:
    """So many seconds of video were not seen: the model that sees could not keep up."""

    seconds: int


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item is part of the conversation; an answer's item is still growing."""

    item: Item
    previous_item_id: str | None


@dataclass(frozen=True, slots=True)
class ItemDeleted:
    """An item is not part of the conversation any more."""

    item_id: str


@dataclass(frozen=True, slots=True)
class ItemTruncated:
    """Of a spoken answer only what was heard in its first `audio_end_ms` stays in the conversation."""

    item_id: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class OfferMade:
    """The model would say something about what it sees; no voice is made of it yet.

    Attributes:
        stands_ms: For how many milliseconds it can be accepted.
    """

    offer_id: str
    text: str
    stands_ms: int


@dataclass(frozen=True, slots=True)
class PictureRecognised:
    """What the camera or the shared screen shows has been looked at once more.

    Attributes:
        source: Whether a camera took it, or it is of a shared screen.
        age_ms: Milliseconds since the picture came.
    """

    observation: Observation
    source: VideoSource
    age_ms: int


InputEvent = (
    SpeechStarted
    | SpeechStopped
    | InputCommitted
    | InputCleared
    | PartialTranscript
    | EndOfTurnJudged
    | TranscriptionCompleted
    | TranscriptionFailed
    | EarlyAnswersEnded
    | VideoSkipped
    | ItemAdded
    | ItemDeleted
    | ItemTruncated
    | OfferMade
    | PictureRecognised
)
