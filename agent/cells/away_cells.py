"""This module knows which cells were there and are not any more: their calls may have lost their agents."""

from collections.abc import Set

RECENT_S = 30.0  # an agent that outlives its cell for longer is not lost with it


class AwayCells:
    """Is told again and again which cells are ready."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._away: dict[str, float] = {}  # since when, on the clock of whoever tells

    def feed(self, ready: Set[str], now: float) -> None:
        """Take which cells are ready now, by their URLs."""
        for cell in ready:
            self._away.pop(cell, None)
        for cell in self._seen - ready:
            self._away.setdefault(cell, now)
        self._seen |= ready
        for cell in [cell for cell, since in self._away.items() if now - since >= RECENT_S]:
            del self._away[cell]
            self._seen.discard(cell)

    def __bool__(self) -> bool:
        """Whether one has gone away of late."""
        return bool(self._away)
