"""How one session is to work: what its client asked for, typed and complete."""

from dataclasses import dataclass, field
from typing import Literal

from pipeline.types.turn_request import ResponseOptions

Proactive = Literal["offer", "speak", "off"]


@dataclass(frozen=True, slots=True)
class Endpointing:
    """When silence is a pause, and when it is the end.

    Attributes:
        threshold: Probability from which a frame counts as speech. It ends `SOFTER` below.
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
        semantic: A sentence that is not finished is given twice as long.
        creates_response: Answers when a turn ends.
        interrupts: Stops the answer when the person speaks.
    """

    endpointing: Endpointing
    semantic: bool = False
    creates_response: bool = True
    interrupts: bool = True

    def end_ms(self, text: str) -> int | None:
        """Silence that ends the turn after `text` was heard."""
        end_ms = self.endpointing.end_ms
        finished = text.rstrip().endswith((".", "?", "!", "。", "？", "！"))
        return end_ms if end_ms is None or finished or not self.semantic else 2 * end_ms


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Everything that `session.update` can change.

    Attributes:
        detection: None if the client decides when turns begin and end.
        partials: Tell every hypothesis while the person speaks.
        proactive: What becomes of an answer that nobody asked for.
    """

    response_options: ResponseOptions = field(default=ResponseOptions())
    detection: TurnDetectionOptions | None = None
    partials: bool = False
    proactive: Proactive = "off"

    @property
    def endpointing(self) -> Endpointing:
        return self.detection.endpointing if self.detection else Endpointing()
