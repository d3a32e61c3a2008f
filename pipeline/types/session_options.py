"""How one session is to work: what its client asked for, typed and complete."""

from dataclasses import dataclass, field
from typing import Literal

from pipeline.types.turn_request import ResponseOptions

Proactive = Literal["offer", "speak", "off"]


@dataclass(frozen=True, slots=True)
class Endpointing:
    """When silence is a pause, and when it is the end.

    Attributes:
        threshold: Probability from which a frame counts as speech. It ends `SOFTER` below, but not below half of it.
        onset_ms: Speech needed to start.
        pause_ms: Silence that makes a pause.
        end_ms: Silence that ends the turn, or None if somebody else decides that.
    """

    threshold: float = 0.5
    onset_ms: int = 96
    pause_ms: int = 256
    end_ms: int | None = None


@dataclass(frozen=True, slots=True)
class TurnDetectionOptions:
    """The session decides itself when a turn begins and ends.

    Attributes:
        semantic: Silence is waited for the longer the less they seem to have finished.
        creates_response: Answers when a turn ends.
        interrupts: Stops the answer when the person speaks.
    """

    endpointing: Endpointing
    semantic: bool = False
    creates_response: bool = True
    interrupts: bool = True


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Everything that `session.update` can change.

    Attributes:
        detection: None if the client decides when turns begin and end.
        partials: Tell every hypothesis while the person speaks.
        proactive: What becomes of an answer that nobody asked for.
        observations: Tell what is recognised in pictures.
    """

    response_options: ResponseOptions = field(default=ResponseOptions())
    detection: TurnDetectionOptions | None = None
    partials: bool = False
    proactive: Proactive = "off"
    observations: bool = False

    @property
    def endpointing(self) -> Endpointing:
        return self.detection.endpointing if self.detection else Endpointing()
