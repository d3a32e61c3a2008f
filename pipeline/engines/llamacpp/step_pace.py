"""Cuts a language model's work into steps short enough to stop between two of them. Pure."""

from collections.abc import Sequence

from pipeline.engines.common_prefix import common_prefix

STEP_S = 0.08  # a step takes at most about so long: who cancels is to find the model idle within 0.1
REUSED = 8  # tokens in a row that are worth moving in the cache
LAST = 8  # tokens at the end of a prompt: somebody may wait for them
AT_ONCE = 2  # of the last tokens at least; one by one takes a quarter longer
BATCH = 16  # most tokens of a step; more at once are hardly faster on two cores


class StepPace:
    """Says how many tokens of a prompt are prefilled in one step, from how long the steps before took."""

    def __init__(self) -> None:
        self.tokens = 1

    def step(self, left: int) -> int:
        """How many tokens to prefill now, of so many that are left."""
        return max(self.tokens, AT_ONCE) if left <= LAST else self.tokens

    def took(self, seconds: float) -> None:
        if seconds > STEP_S * 1.1:
            self.tokens = max(1, self.tokens - 1)
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
