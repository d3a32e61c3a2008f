"""A step behind CUDA graphs, one for each of a few numbers of rows: it is a single replay."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor

BUCKETS = (1, 2, 4, 8, 16, 32)


class StepInput(Protocol):
    """What a step is given: tensors that have a row for each request."""

    @property
    def requests(self) -> int:
        """How many rows there are."""

    def rows(self, rows: int) -> Self:
        """The first rows of each."""

    def write(self, room: Self) -> None:
        """Copies all of it into the first rows of a room, and has those behind them do no harm."""


Input = TypeVar("Input", bound=StepInput)


class StepGraphs(Generic[Input]):
    """Is called as the step is. Rows are filled up to a bucket; rows do not see each other.

    What it returns stands until the next call.

    Args:
        step: It lives as long as its graphs, which keep none of the memory that it brought with it.
        room: Buffers for as many rows as the largest bucket.
    """

    def __init__(
        self, step: Callable[[Input], tuple[Tensor, Tensor]], room: Input, buckets: Sequence[int] = BUCKETS
    ) -> None:
        self._step = step
        self._room = room
        self._buckets = sorted(buckets)
        self._graphs: list[torch.cuda.CUDAGraph] = []
        self._outputs: list[tuple[Tensor, Tensor]] = []
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            # What is made at the first call is made outside the graphs, and for the most rows at once: vLLM makes some
            # of it anew if there are more, and graphs would go on with what it has let go of.
            for rows in reversed(self._buckets):
                step(room.rows(rows))
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        for rows in self._buckets:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                outputs = step(room.rows(rows))
            self._graphs.append(graph)
            self._outputs.append(outputs)

    def __call__(self, given: Input) -> tuple[Tensor, Tensor]:
        bucket = self._buckets[bisect_left(self._buckets, given.requests)]
        given.write(self._room.rows(bucket))
        return self.replay(given.requests)

    def replay(self, rows: int) -> tuple[Tensor, Tensor]:
        """The same, of what has been written into the room."""
        bucket = bisect_left(self._buckets, rows)
        self._graphs[bucket].replay()
        one, other = self._outputs[bucket]
        return one[:rows], other[:rows]
