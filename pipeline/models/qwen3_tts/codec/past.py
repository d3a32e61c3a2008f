"""What the speech decoder's layers remember of the frames before a chunk."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

Join = Callable[[Tensor, Tensor], Tensor]


class Lengths:
    """How many frames of a chunk each row has. What follows them only fills it up: nobody hears or remembers it.

    Args:
        frames: int64, shape [batch].
        most: Frames of the chunk.
    """

    def __init__(self, frames: Tensor, most: int) -> None:
        self.frames = frames
        self._most = most
        self._places: dict[tuple[int, int], Tensor] = {}

    def last(self, steps: int, keep: int) -> Tensor:
        """Where the last `keep` steps of each row lie, in the chunk of so many steps behind `keep` earlier ones.

        Returns:
            int64, shape [batch, keep].
        """
        rate = steps // self._most
        if (rate, keep) not in self._places:
            first = (self.frames * rate)[:, None]
            self._places[rate, keep] = first + torch.arange(keep, device=first.device)
        return self._places[rate, keep]


class Past:
    """The past of each row of a batch, for one chunk. Without a past a row begins in silence.

    Layers take their part in the order in which they run, and leave what the next chunk needs. All parts of a row
    lie in one flat tensor, so that a batch is gathered from its streams, and scattered to them, in one go.
    """

    def __init__(self, frames: Tensor, memory: Tensor | None = None, lengths: Lengths | None = None) -> None:
        """Begins a chunk with what the chunk before it left.

        Args:
            frames: int64, shape [batch]: frames that each row has decoded before.
            memory: Shape [batch, size]: what `left` gave after the chunk before; None before the first one.
            lengths: Where rows end before the chunk does; None: all are as long as it is.
        """
        self.frames = frames
        self._memory = memory
        self._lengths = lengths
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
        self._left.append(self._last(joined, keep, dim).flatten(1))
        return joined

    def left(self) -> Tensor:
        """The memory for the next chunk, shape [batch, size]."""
        return torch.cat(self._left, 1)

    def _last(self, joined: Tensor, keep: int, dim: int) -> Tensor:
        """The last `keep` steps of what each row has."""
        steps = joined.shape[dim] - keep
        if self._lengths is None:
            return joined.narrow(dim, steps, keep)
        shape = [1] * joined.dim()
        shape[0], shape[dim] = len(joined), keep
        places = self._lengths.last(steps, keep).view(shape)
        return joined.gather(dim, places.expand(*joined.shape[:dim], keep, *joined.shape[dim + 1 :]))

    def _take(self, like: Tensor, shape: list[int]) -> Tensor:
        if self._memory is None:
            return like.new_zeros(shape)
        size = math.prod(shape[1:])
        part = self._memory[:, self._taken : self._taken + size].view(shape)
        self._taken += size
        return part
