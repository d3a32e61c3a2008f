"""What became of an answer over which a sound was made."""

from dataclasses import dataclass
from typing import Literal

Fate = Literal["went_on", "stopped", "unclear"]
RESUMED_S = 1.0  # after a sound that is none of words, an answer goes on by then


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was to be heard of the answer.

    Attributes:
        fate: It went on where it had stopped, if it stopped at all; it did not go on; or neither can be told.
        silence_s: From the beginning of the sound to the first silence of the answer; None: there was none.
        pause_s: How long the answer was silent before it went on.
        resumed_s: From the end of the sound until the answer went on, 0 if it did before; None: it did not.
        lost_s: How much of the answer was skipped, or was said twice if negative.
        heard: What the recogniser made of the sound, its hypotheses in order.
        reason: Why it was taken for what it was.
    """

    fate: Fate
    silence_s: float | None = None
    pause_s: float = 0.0
    resumed_s: float | None = None
    lost_s: float = 0.0
    heard: tuple[str, ...] = ()
    reason: str = ""

    def is_right(self, must_yield: bool) -> bool:
        """Whether it did what it was to do: a hold goes on within a second, where it stopped, as a yield stops."""
        if must_yield:
            return self.fate == "stopped"
        return self.fate == "went_on" and (self.resumed_s or 0.0) <= RESUMED_S
