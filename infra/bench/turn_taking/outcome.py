"""What became of an answer over which a sound was made, or of a turn with pauses in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from infra.bench.turn_taking.sounds.cases import CaseClass

Fate = Literal["went_on", "stopped", "unclear", "answered", "cut_in", "unanswered", "stuck"]
RIGHT: Mapping[CaseClass, Fate] = {
    "interruption": "stopped",
    "backchannel": "went_on",
    "noise": "went_on",
    "aside": "went_on",
    "pause": "answered",
}
RESUMED_S = 1.0  # after a sound that is none of words, an answer goes on by then


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was to be heard of the answer.

    Attributes:
        fate: It went on where it had stopped, if it stopped at all; it did not go on; or neither can be told. A turn
            with pauses is answered when it is over, or something is heard before, or nothing ever is. Stuck is a call
            in which it was not to be heard what became of it, since the agent did not do what comes before.
        silence_s: From the beginning of the sound to the first silence of the answer; None: there was none.
        pause_s: How long the answer was silent before it went on.
        resumed_s: From the end of the sound until the answer went on, 0 if it did before, or until the turn was
            answered; None: neither.
        lost_s: How much of the answer was skipped, or was said twice if negative.
        heard: What the recogniser made of the sound, its hypotheses in order.
        reason: Why it was taken for what it was.
        stopped_s: From the beginning of the sound until an answer that stopped was silent for good, or the next one
            began: it may have gone on for a while after its first silence; None: it did not stop.
    """

    fate: Fate
    silence_s: float | None = None
    pause_s: float = 0.0
    resumed_s: float | None = None
    lost_s: float = 0.0
    heard: tuple[str, ...] = ()
    reason: str = ""
    stopped_s: float | None = None

    def is_right(self, kind: CaseClass) -> bool:
        """Whether it was what is right for such a case; an answer that is held goes on within a second."""
        in_time = self.fate != "went_on" or (self.resumed_s or 0.0) <= RESUMED_S
        return self.fate == RIGHT[kind] and in_time
