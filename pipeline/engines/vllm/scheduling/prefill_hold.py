"""Decides in which steps of an engine prompts that nobody waits for are not prefilled."""

from dataclasses import dataclass, replace
from typing import Self

FIRST_TOKENS = 2  # of an answer: a voice begins with the second
MOST_STEPS = 8  # some 100 ms of a GPU that is shared
SPOKEN_TOKENS = 8  # of an answer: more than half a second of speech, during which a step with a patient prompt ends
# Of others, between two of what has begun. What pruning leaves of a window, of many steps, has half as many tokens as
# were seen until it is due; a second of video mostly has one step, so that it is not left half done.
LATER_STEPS = 2


@dataclass(frozen=True, slots=True)
class PrefillHold:
    """How it stands with the newest step.

    Attributes:
        steps: For how many steps in a row prompts have stepped back; 0: they do not.
        most: Such steps, after which there is one in which they are prefilled.
    """

    steps: int = 0
    most: int = MOST_STEPS

    def next(self, *, wanted: bool) -> Self:
        """Returns the hold of the next step.

        Args:
            wanted: There are such prompts, and others that go before them.
        """
        return replace(self, steps=self.steps + 1 if wanted and self.steps < self.most else 0)

    def spent(self) -> Self:
        """Returns one that does not hold in the next step: in this one nothing was won by it."""
        return replace(self, steps=self.most)


def waits_for_first_tokens(written: int, most: int) -> bool:
    """Whether a request still waits for one of its first tokens.

    Args:
        written: Its tokens so far, with those of steps that have been scheduled.
        most: Tokens that it may write.
    """
    return written < min(FIRST_TOKENS, most)
