"""Which chunks are decoded together."""

from pipeline.chunks import CODEBOOKS
from pipeline.engines.codec_batches import Waiting
from pipeline.engines.codec_wire import Decode


def chunk(slot: int, frames: int) -> Decode:
    return Decode(0, slot, bytes(2 * CODEBOOKS * frames), False)


def batches(waiting: Waiting) -> list[list[int]]:
    """The slots of each batch, until nothing waits."""
    taken = []
    while batch := waiting.take():
        taken.append([each.slot for each in batch])
    return taken


def waiting(*frames: int, largest: int = 8) -> Waiting:
    """Chunks of so many frames, in slots 0, 1, 2 …"""
    chunks = Waiting(largest)
    for slot, count in enumerate(frames):
        chunks.add(chunk(slot, count))
    return chunks


def test_chunks_of_one_size_are_decoded_together() -> None:
    assert batches(waiting(4, 4, 4)) == [[0, 1, 2]]


def test_the_oldest_chunk_is_never_overtaken() -> None:
    assert batches(waiting(25, 1, 25, 1, 2)) == [[0, 2], [1, 3], [4]]


def test_a_batch_has_room_for_so_many() -> None:
    assert batches(waiting(1, 1, 1, 1, 1, largest=2)) == [[0, 1], [2, 3], [4]]


def test_what_was_dropped_is_not_decoded() -> None:
    chunks = waiting(1, 1)
    chunks.drop(0)
    chunks.drop(7)
    assert len(chunks) == 1
    assert batches(chunks) == [[1]]


def test_nothing_waits_at_first() -> None:
    assert Waiting(8).take() == []
