"""Cuts a growing text into pieces; where, its kinds say."""

from collections.abc import Iterator


class TextSplitter:
    """Feed it the text piece by piece. What it gives back concatenates to exactly the text."""

    def __init__(self) -> None:
        self._rest = ""
        self._taken = 0  # pieces, but for empty ones

    @property
    def rest(self) -> str:
        """What is not complete yet."""
        return self._rest

    def feed(self, piece: str) -> Iterator[str]:
        """What is complete with `piece`."""
        self._rest += piece
        while cut := self._cut():
            yield self._take(cut)

    def finish(self) -> Iterator[str]:
        """The text has ended: what is left of it."""
        if self._rest:
            yield self._take(len(self._rest))

    def _cut(self) -> int:
        """Where the next piece ends, or 0 if that is not known yet."""
        raise NotImplementedError

    def _take(self, cut: int) -> str:
        piece, self._rest = self._rest[:cut], self._rest[cut:]
        self._taken += bool(piece.strip())
        return piece
