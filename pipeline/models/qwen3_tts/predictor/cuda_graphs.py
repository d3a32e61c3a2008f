"""The predictor's step behind CUDA graphs, one for each of a few numbers of rows: a frame is a single replay."""

from bisect import bisect_left
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from pipeline.models.qwen3_tts.frame_step import Given

BUCKETS = (1, 2, 4, 8, 16, 32)

Step = Callable[[Given], tuple[Tensor, Tensor]]


class PredictorGraphs:
    """Is called as `FrameStep` is. Rows are filled up to a bucket with what was there before; rows do not see each
    other.

    What it returns stands until the next call.

    Args:
        step: It lives as long as its graphs, which keep none of the memory that it brought with it.
        room: Buffers for as many rows as the largest bucket.
    """

    def __init__(self, step: Step, room: Given, buckets: Sequence[int] = BUCKETS) -> None:
        self._step = step
        self._room = room
        self._buckets = sorted(buckets)
        self._graphs: list[torch.cuda.CUDAGraph] = []
        self._outputs: list[tuple[Tensor, Tensor]] = []
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        for rows in self._buckets:
            with torch.cuda.stream(side):  # what is made at the first call is made outside the graph
                step(room.rows(rows))
            torch.cuda.current_stream().wait_stream(side)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                outputs = step(room.rows(rows))
            self._graphs.append(graph)
            self._outputs.append(outputs)

    def __call__(self, given: Given) -> tuple[Tensor, Tensor]:
        rows = len(given.code0)
        for own, each in zip(self._room.rows(rows), given, strict=True):
            own.copy_(each)
        return self.replay(rows)

    def replay(self, rows: int) -> tuple[Tensor, Tensor]:
        """The same, of what has been written into the room."""
        bucket = bisect_left(self._buckets, rows)
        self._graphs[bucket].replay()
        codes, embed = self._outputs[bucket]
        return codes[:rows], embed[:rows]
