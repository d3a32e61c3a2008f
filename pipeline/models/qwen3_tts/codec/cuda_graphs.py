"""CUDA graphs of one decoding step, one for each batch and chunk size: a step is then a single launch."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import torch
from torch import Tensor


class Replay(Protocol):
    def replay(self) -> None:
        """Compute once more, from and into the same tensors."""
        ...


Step = Callable[[Tensor, int], Tensor]
Record = Callable[[Callable[[], Tensor], Any], tuple[Replay, Tensor]]
WARM_UPS = 2  # libraries choose and allocate during the first runs, which must not happen in a capture


@dataclass(frozen=True, slots=True)
class Graph:
    """A captured step, with the tensors that it reads and writes."""

    graph: Replay
    rows: int
    given: Tensor
    pcm: Tensor

    def replay(self, given: Tensor) -> Tensor:
        """The result is overwritten by the next replay of any graph."""
        self.given.copy_(given)
        self.graph.replay()
        return self.pcm


class Graphs:
    """The steps that have been captured, by batch and chunk size."""

    def __init__(self, captured: dict[tuple[int, int], Graph]) -> None:
        self._captured = captured

    def fitting(self, batch: int, frames: int) -> Graph | None:
        """The smallest one that `batch` rows of so many frames fit into."""
        roomy = [shape for shape in self._captured if shape[0] >= batch and shape[1] == frames]
        return self._captured[min(roomy)] if roomy else None

    def __len__(self) -> int:
        return len(self._captured)


def given_numbers(rows: int, frames: int, codebooks: int) -> int:
    """How many numbers a step is given, in one piece: a slot and a length for each row, and then all codes."""
    return rows * (2 + frames * codebooks)


def capture(
    step: Step, shapes: Iterable[tuple[int, int]], codebooks: int, nobody: int, device: torch.device, record: Record
) -> Graphs:
    """Capture `step` for each batch and number of frames, the largest first, so that all fit into the first's memory.

    Args:
        step: What it is given, int64 [`given_numbers`], and how many rows that are → PCM16 [batch, samples].
        nobody: A slot that no stream uses, to be decoded into meanwhile.
    """
    captured: dict[tuple[int, int], Graph] = {}
    pool = torch.cuda.graph_pool_handle() if device.type == "cuda" else None
    for batch, frames in sorted(set(shapes), key=math.prod, reverse=True):
        given = torch.zeros(given_numbers(batch, frames, codebooks), dtype=torch.long, device=device)
        given[:batch] = nobody
        given[batch : 2 * batch] = frames
        graph, pcm = record(partial(step, given, batch), pool)
        captured[batch, frames] = Graph(graph, batch, given, pcm)
    return Graphs(captured)


def cuda_graph(compute: Callable[[], Tensor], pool: Any) -> tuple[Replay, Tensor]:
    """A CUDA graph of a computation, and the tensor in which each replay leaves the result."""
    for _ in range(WARM_UPS):
        compute()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()  # what they took; or the device would hold it beside the graphs' pool
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        result = compute()
    return graph, result
