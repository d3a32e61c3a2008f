"""Which chunks Code2Wav decodes next, together. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pipeline.engines.code2wav.listener_buffer import ListenerBuffer
from pipeline.engines.code2wav.messages import DecodeRequest, frame_count

MOST_FRAMES = 200  # of a batch: a GPU is full with them, and whoever comes meanwhile waits no longer than they take


def most_rows(frames: int, slots: int) -> int:
    """Chunks of so many frames in a batch: a power of two, unless there are fewer slots."""
    return min(1 << max(MOST_FRAMES // frames, 1).bit_length() - 1, slots)


def shapes(sizes: Iterable[int], slots: int) -> Iterator[tuple[int, int]]:
    """Rows and frames of the batches that are worth a graph: powers of two, and the most."""
    for frames in sizes:
        most = most_rows(frames, slots)
        for power in range((most - 1).bit_length()):
            yield 1 << power, frames
        yield most, frames


@dataclass(frozen=True, slots=True)
class DueChunk:
    """A chunk, and when it is to be decoded at the latest."""

    chunk: DecodeRequest
    due: float


class WaitingChunk:
    """Chunks in the order in which they came, at most one of a slot.

    A batch is of the smallest ones that are due: who waits for one has little left to play, who waits for a large one
    has seconds. Others of the same size go with them, due or not. A size of which a whole batch waits is due.

    Args:
        patience_s: Longest that a chunk waits for others while its listener has enough to play; 0: all are due at once.
    """

    def __init__(self, slots: int, patience_s: float = 0.0) -> None:
        self._chunks: dict[int, DueChunk] = {}
        self._slots = slots
        self._patience_s = patience_s
        self._buffers: dict[int, ListenerBuffer] = {}

    def add(self, chunk: DecodeRequest, now: float = 0.0) -> None:
        assert chunk.slot not in self._chunks
        buffer = self._buffers.get(chunk.slot, ListenerBuffer())
        self._chunks[chunk.slot] = DueChunk(chunk, buffer.due(now, self._patience_s))

    def drop(self, slot: int) -> None:
        self._chunks.pop(slot, None)
        self._buffers.pop(slot, None)

    def take(self, now: float = 0.0) -> list[DecodeRequest]:
        """The next batch; empty if nothing that waits is due."""
        due = {frame_count(each.chunk) for each in self._chunks.values() if each.due <= now}
        frames = min(due or self._whole(), default=0)
        alike = (each.chunk for each in self._chunks.values() if frame_count(each.chunk) == frames)
        batch = list(islice(alike, most_rows(frames, self._slots))) if frames else []
        for chunk in batch:
            del self._chunks[chunk.slot]
            self._buffers[chunk.slot] = self._buffers.get(chunk.slot, ListenerBuffer()).sent(frames, now)
        return batch

    @property
    def due(self) -> float:
        """When something will be due; infinity if nothing waits."""
        return min((each.due for each in self._chunks.values()), default=math.inf)

    def _whole(self) -> set[int]:
        """Sizes of which a whole batch waits."""
        counts = Counter(frame_count(each.chunk) for each in self._chunks.values())
        return {frames for frames, count in counts.items() if count >= most_rows(frames, self._slots)}

    def __len__(self) -> int:
        return len(self._chunks)
