"""Which chunks are decoded together."""

from pipeline.engines.code2wav.batches import WaitingChunk, most_rows, shapes
from pipeline.engines.code2wav.messages import DecodeRequest
from pipeline.types.chunks import CODEBOOKS


def chunk(slot: int, frames: int, *, begins: bool = False) -> DecodeRequest:
    return DecodeRequest(0, slot, bytes(2 * CODEBOOKS * frames), begins)


def batches(waiting: WaitingChunk) -> list[list[int]]:
    """The slots of each batch, until nothing waits."""
    taken = []
    while batch := waiting.take():
        taken.append([each.slot for each in batch])
    return taken


def waiting(*frames: int, slots: int = 64) -> WaitingChunk:
    """Chunks of so many frames, in slots 0, 1, 2 …"""
    chunks = WaitingChunk(slots)
    for slot, count in enumerate(frames):
        chunks.add(chunk(slot, count))
    return chunks


def test_chunks_of_one_size_are_decoded_together() -> None:
    assert batches(waiting(4, 4, 4)) == [[0, 1, 2]]


def test_small_chunks_come_first_and_equal_ones_in_order() -> None:
    assert batches(waiting(25, 1, 25, 1, 2)) == [[1, 3, 4], [0, 2]]


def test_chunks_of_other_sizes_go_along_where_they_fill_a_batch_up() -> None:
    assert batches(waiting(8, 1, 4, 2)) == [[1, 3, 2, 0]]
    assert batches(waiting(12, 25, 25, 25)) == [[0, 1, 2, 3]]


def test_first_chunks_go_by_themselves_and_before_others_of_their_size() -> None:
    chunks = waiting(1, 4, 2)
    chunks.add(chunk(3, 1, begins=True))
    chunks.add(chunk(4, 1, begins=True))
    assert batches(chunks) == [[3, 4], [0, 2, 1]]


def test_a_long_first_chunk_waits_for_shorter_ones() -> None:
    chunks = waiting(4)
    chunks.add(chunk(1, 25, begins=True))
    assert batches(chunks) == [[0], [1]]


def test_a_chunk_waits_for_the_next_batch_where_most_of_its_own_would_be_filled_up() -> None:
    """Four rows of 25 frames, of which 7 are meant beside its own."""
    assert batches(waiting(1, 2, 4, 25)) == [[0, 1, 2], [3]]


def test_a_batch_is_no_longer_than_a_newcomer_may_wait() -> None:
    taken = batches(waiting(*[25] * 20))
    assert [len(batch) for batch in taken] == [8, 8, 4]
    assert [slot for batch in taken for slot in batch] == list(range(20))
    assert len(waiting(500).take()) == 1


def test_there_is_a_graph_for_the_largest_batch_of_each_size() -> None:
    for slots in (1, 3, 8, 20, 64):
        for frames in (1, 2, 4, 8, 12, 25):
            rows = [batch for batch, _ in shapes([frames], slots)]
            assert rows == sorted(set(rows)), "each once"
            assert rows[0] == 1
            assert rows[-1] == most_rows(frames, slots) == len(waiting(*[frames] * slots, slots=slots).take())


def test_what_was_dropped_is_not_decoded() -> None:
    chunks = waiting(1, 1)
    chunks.drop(0)
    chunks.drop(7)
    assert len(chunks) == 1
    assert batches(chunks) == [[1]]


def test_nothing_waits_at_first() -> None:
    assert WaitingChunk(8).take() == []
