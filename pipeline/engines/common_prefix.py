"""What two texts have in common, token by token."""

from collections.abc import Sequence
from itertools import takewhile


def common_prefix(one: Sequence[object], other: Sequence[object]) -> int:
    """How many tokens both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
