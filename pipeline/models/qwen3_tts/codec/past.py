"""What the speech decoder's layers remember of the frames before a chunk."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

Join = Callable[[Tensor, Tensor], Tensor]


class Past:
    """The past of each row of a batch, for one chunk. Without a past a row begins in silence.

    Layers take their part in the order in which they run, and leave what the next chunk needs. All parts of a row
    lie in one flat tensor, so that a batch is gathered from its streams, and scattered to them, in one go.
    """

    def __init__(self, frames: Tensor, memory: Tensor | None = None) -> None:
        """Begins a chunk with what the chunk before it left.

        Args:
            frames: int64, shape [batch]: frames that each row has decoded before.
            memory: Shape [batch, size]: what `left` gave after the chunk before; None before the first one.
        """
        self.frames = frames
        self._memory = memory
        self._taken = 0
        self._left: list[Tensor] = []

    def before(self, chunk: Tensor, keep: int, dim: int = 1, join: Join | None = None) -> Tensor:
        """The last `keep` steps before `chunk` and then the chunk itself, along `dim`; zeros where nothing was.

        Args:
            join: What makes one of the two, if the chunk is to be changed on the way; of those before it is kept
                what came out.
        """
        if not keep:
            return chunk
        shape = list(chunk.shape)
        shape[dim] = keep
        past = self._take(chunk, shape)
        joined = join(past, chunk) if join else torch.cat([past, chunk], dim)
        self._left.append(joined.narrow(dim, joined.shape[dim] - keep, keep).flatten(1))
        return joined

    def left(self) -> Tensor:
        """The memory for the next chunk, shape [batch, size]."""
        return torch.cat(self._left, 1)

    def _take(self, like: Tensor, shape: list[int]) -> Tensor:
        if self._memory is None:
            return like.new_zeros(shape)
        size = math.prod(shape[1:])
        part = self._memory[:, self._taken : self._taken + size].view(shape)
        self._taken += size
        return part
