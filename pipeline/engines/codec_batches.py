"""Which chunks Code2Wav decodes next, together. Pure."""

from itertools import islice

from pipeline.engines.codec_wire import Decode, frame_count


class Waiting:
    """Chunks in the order in which they came, at most one of a slot.

    A batch is the oldest one with others of its size: nobody waits for long, and equal chunks share a step.
    """

    def __init__(self, largest: int) -> None:
        """
        Args:
            largest: Most chunks of a batch.
        """
        self._chunks: dict[int, Decode] = {}
        self._largest = largest

    def add(self, chunk: Decode) -> None:
        assert chunk.slot not in self._chunks
        self._chunks[chunk.slot] = chunk

    def drop(self, slot: int) -> None:
        self._chunks.pop(slot, None)

    def take(self) -> list[Decode]:
        """The next batch; empty if nothing waits."""
        chunks = iter(self._chunks.values())
        oldest = next(chunks, None)
        if oldest is None:
            return []
        alike = (chunk for chunk in chunks if frame_count(chunk) == frame_count(oldest))
        batch = [oldest, *islice(alike, self._largest - 1)]
        for chunk in batch:
            del self._chunks[chunk.slot]
        return batch

    def __len__(self) -> int:
        return len(self._chunks)
