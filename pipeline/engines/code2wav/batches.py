"""Which chunks Code2Wav decodes next, together. Pure."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from pipeline.engines.code2wav.messages import DecodeRequest, frame_count

MOST_FRAMES = 200  # of a batch: a GPU is full with them, and whoever comes meanwhile waits no longer than they take
SPARE_FRAMES = 48  # of a batch, which only fill it up: on one H100 they take 1 ms, and another batch at least 1.7


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


class WaitingChunk:
    """Chunks in the order in which they came, at most one of a slot.

    A batch is of the smallest ones: who waits for one has little left to play, who waits for a large one has seconds.
    It has all those whose company is cheaper than a batch of their own. First chunks of streams go by themselves: their
    callers hear nothing yet.
    """

    def __init__(self, slots: int) -> None:
        self._chunks: dict[int, DecodeRequest] = {}
        self._slots = slots

    def add(self, chunk: DecodeRequest) -> None:
        assert chunk.slot not in self._chunks
        self._chunks[chunk.slot] = chunk

    def drop(self, slot: int) -> None:
        self._chunks.pop(slot, None)

    def take(self) -> list[DecodeRequest]:
        """The next batch; empty if nothing waits."""
        ordered = sorted(self._chunks.values(), key=lambda chunk: (frame_count(chunk), not chunk.begins))
        ordered = [chunk for chunk in ordered if chunk.begins == ordered[0].begins]
        count = max(self._worthwhile([frame_count(chunk) for chunk in ordered]), default=0)
        for chunk in ordered[:count]:
            del self._chunks[chunk.slot]
        return ordered[:count]

    def _worthwhile(self, frames: list[int]) -> Iterator[int]:
        """How many of chunks of so many frames, in that order, may be a batch."""
        for count, (longest, meant) in enumerate(zip(frames, accumulate(frames), strict=True), 1):
            rows = min(1 << (count - 1).bit_length(), self._slots)
            if count == 1 or (count <= most_rows(longest, self._slots) and rows * longest - meant <= SPARE_FRAMES):
                yield count

    def __len__(self) -> int:
        return len(self._chunks)
