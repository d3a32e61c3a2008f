"""Cuts a language model's work into steps short enough to stop between two of them. Pure."""

from collections.abc import Sequence

from pipeline.engines.common_prefix import common_prefix

# A step is to take at most about so long: who cancels is to find the model idle within 0.1. On two slow cores the
# fewest tokens take longer, and so do the whole batches in which a stem is prefilled for the first time.
STEP_S = 0.08
REUSED = 8  # tokens in a row that are worth moving in the cache
# Fewest tokens of a step, however long it takes: beside other work its length says little of its tokens, and one by one
# they take several times as long as together.
FEWEST = 4
BATCH = 16  # most tokens of a step; more at once are hardly faster on two cores


class StepPace:
    """Says how many tokens of a prompt are prefilled in one step, from how long the steps before took."""

    def __init__(self) -> None:
        self.tokens = FEWEST

    def took(self, seconds: float) -> None:
        if seconds > STEP_S * 1.1:
            self.tokens = max(FEWEST, self.tokens - 1)
        elif seconds < STEP_S * 2 / 3:
            self.tokens = min(BATCH, self.tokens + 1)


def known(prompt: Sequence[int], read: Sequence[int]) -> int:
    """Counts the tokens of `prompt` that need not be computed after `read`: what both begin with, and what of the rest
    stands further on in `read`, as it does when a conversation has lost its oldest part. llama.cpp moves that."""
    head = common_prefix(prompt, read)
    start = list(prompt[head : head + REUSED])
    for at in range(head, len(read) - REUSED + 1):
        if len(start) == REUSED and list(read[at : at + REUSED]) == start:
            return head + common_prefix(prompt[head:], read[at:])
    return head
