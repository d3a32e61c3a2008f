"""This module lays pieces of sound where they belong in one channel of a record, silence between them. Pure."""

import numpy as np
from numpy.typing import NDArray

Pcm = NDArray[np.int16]


class Channel:
    """Holds what was laid and not yet taken. Positions are samples since the record began.

    Attributes:
        held: So many samples wait to be taken.
        laid: So many samples were laid in all.
        lost: So many of those that came had no place any more: theirs was taken before.
    """

    def __init__(self) -> None:
        self._pieces: list[tuple[int, Pcm]] = []
        self._taken = self._end = 0
        self.held = self.laid = self.lost = 0

    @property
    def end(self) -> int:
        """Where the last piece ends."""
        return self._end

    def lay(self, position: int, pcm: Pcm) -> None:
        """Lay a piece there. What of it lies over another piece, or where all was taken, is lost."""
        late = min(len(pcm), max(0, self._end - position, self._taken - position))
        self.lost += late
        if piece := pcm[late:].size:
            self._pieces.append((position + late, pcm[late:]))
            self._end = position + late + piece
            self.laid += piece
            self.held += piece

    def take(self, until: int) -> Pcm:
        """Return all from where it was taken last until that position."""
        block = np.zeros(max(0, until - self._taken), np.int16)
        kept: list[tuple[int, Pcm]] = []
        for position, pcm in self._pieces:
            part = pcm[: max(0, until - position)]
            if part.size:
                block[position - self._taken : position - self._taken + part.size] = part
            if part.size < pcm.size:
                kept.append((position + part.size, pcm[part.size :]))
        self.held = sum(pcm.size for _, pcm in kept)
        self._pieces, self._taken = kept, max(self._taken, until)
        return block
