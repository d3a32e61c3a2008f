"""Decodes chunks of many streams side by side, each of which keeps its past in a slot."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pipeline.models.qwen3_tts.codec.cuda_graphs import Graphs, Record, capture, cuda_graph, given_numbers
from pipeline.models.qwen3_tts.codec.past import Lengths, Past

Decode = Callable[[Tensor, Past], Tensor]
LOUDEST = 32_767  # of PCM16


class CodecStreams:
    """The memory of `slots` streams beside one decoder. Not for two threads at once.

    Args:
        decoder: Codes, [batch, frames, codebooks], and what came before them → the wave, [batch, samples].
    """

    def __init__(
        self, decoder: Callable[[Tensor, Past], Tensor], slots: int, codebooks: int, device: torch.device
    ) -> None:
        self._decoder = decoder
        self._codebooks = codebooks
        self._device = device
        self._nobody = slots  # one more than there are: rows that only fill up a batch decode into it
        first = Past(torch.zeros(1, dtype=torch.long, device=device))
        decoder(torch.zeros(1, 1, codebooks, dtype=torch.long, device=device), first)
        row = first.left()
        self._memory = row.new_zeros(slots + 1, row.shape[1])
        self._frames = torch.zeros(slots + 1, dtype=torch.long, device=device)
        self._graphs = Graphs({})

    @property
    def memory_bytes(self) -> int:
        """What the pasts of all slots take."""
        return self._memory.nbytes

    @property
    def graphs(self) -> int:
        """How many have been captured."""
        return len(self._graphs)

    def capture(self, shapes: Iterable[tuple[int, int]], record: Record = cuda_graph) -> None:
        """Make graphs for those numbers of rows and of frames. Others are decoded without, and slower."""
        self._graphs = capture(self._step, shapes, self._codebooks, self._nobody, self._device, record)

    def begin(self, slot: int) -> None:
        """The slot's next frame will be decoded as the first of a stream."""
        self._memory[slot].zero_()
        self._frames[slot] = 0

    def decode(
        self, slots: Sequence[int], codes: NDArray[np.int16], lengths: Sequence[int] | None = None
    ) -> NDArray[np.int16]:
        """The next chunk of some streams.

        Args:
            slots: One for each row, no two alike.
            codes: Below the codebook's size, shape [batch, frames, codebooks].
            lengths: How many of its frames each row has; those behind them only fill it up. None: all, as a row alone.

        Returns:
            PCM16 at 24 kHz, shape [batch, frames · 1,920].
        """
        batch, frames = codes.shape[:2]
        graph = self._graphs.fitting(batch, frames)
        rows = graph.rows if graph else batch
        given = np.zeros(given_numbers(rows, frames, self._codebooks), np.int64)
        heads, ids = given[: 2 * rows].reshape(2, rows), given[2 * rows :]
        heads[0], heads[1] = self._nobody, frames
        heads[:, :batch] = slots, [frames] * batch if lengths is None else lengths
        ids[: codes.size] = codes.ravel()
        told = torch.from_numpy(given)
        pcm = graph.replay(told) if graph else self._step(told.to(self._device), rows)
        wave: NDArray[np.int16] = pcm[:batch].cpu().numpy()
        return wave

    def _step(self, given: Tensor, rows: int) -> Tensor:
        slots, taken, codes = given[:rows], given[rows : 2 * rows], given[2 * rows :].view(rows, -1, self._codebooks)
        frames = self._frames.index_select(0, slots)
        lengths = Lengths(taken, codes.shape[1]) if rows > 1 else None
        past = Past(frames, self._memory.index_select(0, slots), lengths)
        wave = self._decoder(codes, past)
        self._memory.index_copy_(0, slots, past.left())
        self._frames.index_copy_(0, slots, frames + taken)
        pcm: Tensor = (wave.float() * LOUDEST).round().to(torch.int16)
        return pcm
