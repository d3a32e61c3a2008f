"""Where tokens stand in time, height and width: those of a picture in a grid, words one after the other. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Grid:
    """A picture's tokens in a prompt, or those of one second of video.

    Attributes:
        at: Where in the prompt the first one is.
        height, width: In tokens.
    """

    at: int
    height: int
    width: int

    @property
    def end(self) -> int:
        return self.at + self.height * self.width

    @property
    def saved(self) -> int:
        """By how much less positions grow in it than tokens: to what follows, it is as long as its longer side."""
        return self.height * self.width - max(self.height, self.width)


def positions(grids: Sequence[Grid], begin: int, end: int) -> tuple[NDArray[np.int64], int]:
    """Computes positions of Qwen3-VL's interleaved M-RoPE (Hugging Face `get_rope_index`) from `begin` to `end`.

    Args:
        grids: All of the prompt, in order.

    Returns:
        Shape [3, end - begin]; and by how much a position after the prompt is more than the token's number.
    """
    placed = np.empty((3, end - begin), np.int64)
    at = begin
    saved = 0
    for grid in grids:
        if grid.end > at:
            words = max(grid.at, at)
            placed[:, at - begin : words - begin] = np.arange(at, words) - saved
            inside = np.indices((1, grid.height, grid.width)).reshape(3, -1) + (grid.at - saved)
            placed[:, words - begin : grid.end - begin] = inside[:, words - grid.at :]
            at = grid.end
        saved += grid.saved
    placed[:, at - begin :] = np.arange(at, end) - saved
    return placed, -saved
