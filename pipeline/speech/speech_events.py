"""What voice activity detection and endpointing notice. Frozen: whoever is given them decides what follows."""

from dataclasses import dataclass

from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.types.hypothesis import Hypothesis


@dataclass(frozen=True, slots=True)
class UtteranceBegan:
    """A person speaks.

    Attributes:
        transcriber: Has their sound from half a second before, and is given all that follows.
        audio_ms: Where it begins, in all that was appended.
    """

    transcriber: StreamingTranscriber
    audio_ms: int


@dataclass(frozen=True, slots=True)
class UtteranceResumed:
    """The person goes on after a pause."""


@dataclass(frozen=True, slots=True)
class UtterancePaused:
    """The person is silent, perhaps only to breathe, and has been for `silent_ms`."""

    silent_ms: int


@dataclass(frozen=True, slots=True)
class UtteranceSettled:
    """All that was said before the pause had been made out already: no transcript comes."""

    hypothesis: Hypothesis


@dataclass(frozen=True, slots=True)
class UtteranceEnded:
    """The session's own turn detection says that they have finished. What they said is complete.

    Attributes:
        audio_ms: Where that was noticed, in all that was appended.
    """

    audio_ms: int


@dataclass(frozen=True, slots=True)
class UtteranceForgotten:
    """The utterance was no speech, or is not to be answered."""


SpeechEvent = (
    UtteranceBegan | UtteranceResumed | UtterancePaused | UtteranceSettled | UtteranceEnded | UtteranceForgotten
)
