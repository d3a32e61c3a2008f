"""A predictor behind CUDA graphs, one for each of a few numbers of rows: a frame is a single replay."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

BUCKETS = (1, 2, 4, 8, 16, 32)


class Predicts(Protocol):
    """What `Predictor` and `FusedPredictor` are."""

    def __call__(
        self,
        hidden: Tensor,
        code0: Tensor,
        noise: Tensor | None = None,
        temperature: Tensor | None = None,
        top_k: Tensor | None = None,
        top_p: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]: ...


class Inputs(NamedTuple):
    """What is copied in before a replay; the arguments of `Predicts`, for the largest bucket."""

    hidden: Tensor
    code0: Tensor
    noise: Tensor
    temperature: Tensor
    top_k: Tensor
    top_p: Tensor

    def rows(self, rows: int) -> "Inputs":
        return Inputs(*(each[:rows] for each in self))


class PredictorGraphs:
    """The same call. Rows are filled up to a bucket with what was there before; rows do not see each other.

    What it returns stands until the next call.

    Args:
        predictor: It lives as long as its graphs, which keep none of the memory that it brought with it.
        inputs: Buffers for as many rows as the largest bucket.
    """

    def __init__(self, predictor: Predicts, inputs: Inputs, buckets: Sequence[int] = BUCKETS) -> None:
        self._predictor = predictor
        self._inputs = inputs
        self._buckets = sorted(buckets)
        self._graphs: list[torch.cuda.CUDAGraph] = []
        self._outputs: list[tuple[Tensor, Tensor]] = []
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        for rows in self._buckets:
            with torch.cuda.stream(side):  # what is made at the first call is made outside the graph
                predictor(*inputs.rows(rows))
            torch.cuda.current_stream().wait_stream(side)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                outputs = predictor(*inputs.rows(rows))
            self._graphs.append(graph)
            self._outputs.append(outputs)

    def __call__(
        self,
        hidden: Tensor,
        code0: Tensor,
        noise: Tensor | None = None,
        temperature: Tensor | None = None,
        top_k: Tensor | None = None,
        top_p: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        rows = len(code0)
        own = self._inputs.rows(rows)
        own.hidden.copy_(hidden)
        own.code0.copy_(code0)
        if noise is not None:
            own.noise.copy_(noise)
        own.temperature.fill_(0.0 if noise is None else 1.0) if temperature is None else own.temperature.copy_(
            temperature
        )
        own.top_k.zero_() if top_k is None else own.top_k.copy_(top_k)
        own.top_p.fill_(1.0) if top_p is None else own.top_p.copy_(top_p)
        return self.replay(rows)

    def replay(self, rows: int) -> tuple[Tensor, Tensor]:
        """The same, of what has been written into the buffers."""
        bucket = bisect_left(self._buckets, rows)
        self._graphs[bucket].replay()
        codes, embed = self._outputs[bucket]
        return codes[:rows], embed[:rows]


def buffers(rows: int, talker_width: int, codebooks: int, ids: int, dtype: torch.dtype, device: str) -> Inputs:
    """Buffers of zeros, which are greedy rows of code 0."""
    return Inputs(
        torch.zeros(rows, talker_width, dtype=dtype, device=device),
        torch.zeros(rows, dtype=torch.int64, device=device),
        torch.zeros(rows, codebooks - 1, ids, device=device),
        torch.zeros(rows, device=device),
        torch.zeros(rows, dtype=torch.int32, device=device),
        torch.ones(rows, device=device),
    )
