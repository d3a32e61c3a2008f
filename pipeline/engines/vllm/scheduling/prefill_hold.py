"""Decides in which steps of an engine prompts that nobody waits for are not prefilled."""

from dataclasses import dataclass

FIRST_TOKENS = 2  # of an answer: a voice begins with the second
MOST_STEPS = 8  # some 100 ms of a GPU that is shared


@dataclass(frozen=True, slots=True)
class PrefillHold:
    """How it stands with the newest step.

    Attributes:
        steps: For how many steps in a row patient prompts have stepped back; 0: they do not.
    """

    steps: int = 0

    def next(self, *, wanted: bool) -> "PrefillHold":
        """Returns the hold of the next step; after `MOST_STEPS` there is one in which patient prompts are prefilled.

        Args:
            wanted: A question waits for one of its first tokens, and there are patient prompts.
        """
        return PrefillHold(self.steps + 1) if wanted and self.steps < MOST_STEPS else PrefillHold()

    def spent(self) -> "PrefillHold":
        """Returns one that does not hold in the next step: in this one nothing at all was computed."""
        return PrefillHold(MOST_STEPS)


def waits_for_first_tokens(written: int, most: int) -> bool:
    """Whether a request still waits for one of its first tokens.

    Args:
        written: Its tokens so far, with those of steps that have been scheduled.
        most: Tokens that it may write.
    """
    return written < min(FIRST_TOKENS, most)
