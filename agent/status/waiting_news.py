"""What is to be published and has not been yet: bounded, for the room may take nothing for a while."""

from collections import deque
from collections.abc import Set

MOST_WAITING = 32


class WaitingNews:
    """Attributes, in their order. Of more than `MOST_WAITING` the oldest is forgotten that does not last.

    Args:
        passing: The names of attributes that tell of a moment.
    """

    def __init__(self, passing: Set[str]) -> None:
        self._passing = passing
        self._waiting: deque[dict[str, str]] = deque(maxlen=MOST_WAITING)

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, attributes: dict[str, str]) -> None:
        if len(self._waiting) == MOST_WAITING:
            old = next((each for each in self._waiting if each.keys() <= self._passing), None)
            if old is not None:
                self._waiting.remove(old)
        self._waiting.append(attributes)

    def take(self) -> dict[str, str]:
        """The oldest."""
        return self._waiting.popleft()
