"""Rows find their pages, are read where another process has the pool open, and leave nothing behind."""

from itertools import chain

import numpy as np
import pytest

from pipeline.models.hidden_states.extra_args import RowRequest, asked, asking
from pipeline.models.hidden_states.row_pool import RowLayout, RowPool
from pipeline.models.hidden_states.row_reader import RowReader, RowReaders, RowsMissingError
from pipeline.models.hidden_states.row_writer import RowPlacer

LAYOUT = RowLayout(layers=2, width=3, dtype="float32", pages=4, page_rows=4)


def write(reader: RowReader, prompt: int, *steps: tuple[int, int]) -> RowPlacer:
    """As an engine's process does: each row is full of its own position."""
    return write_on(RowPlacer(RowPool.attach(reader.request.pool), reader.request, prompt), *steps)


def write_on(placer: RowPlacer, *steps: tuple[int, int]) -> RowPlacer:
    rows = placer.pool.rows.view(np.float32).reshape(-1, 2, 3)
    for run in chain.from_iterable(placer.places(*step) for step in steps):
        rows[run.row : run.row + run.count] = np.arange(run.position, run.position + run.count)[:, None, None]
    return placer


def positions(reader: RowReader, begin: int, end: int) -> list[float]:
    rows = reader.floats(begin, end)
    assert rows.shape == (end - begin, 2, 3)
    assert (rows == rows[:, :1, :1]).all()
    return rows[:, 0, 0].tolist()


def test_what_one_process_writes_in_steps_another_reads_in_one_piece() -> None:
    with RowReaders(LAYOUT).open() as reader:
        write(reader, 6, (0, 3), (3, 6), (6, 7), (7, 8))
        assert positions(reader, 0, 8) == [0, 1, 2, 3, 4, 5, 6, 7]
        assert positions(reader, 5, 7) == [5, 6]


def test_the_prompt_and_what_is_written_after_it_have_pages_of_their_own() -> None:
    with RowReaders(LAYOUT).open() as reader:
        write(reader, 6, (0, 6), (6, 7), (7, 8))
        assert [(page.first, page.count) for page in reader.pages()] == [(0, 4), (4, 2), (6, 2)]


def test_rows_that_nobody_wants_take_no_page() -> None:
    with RowReaders(LAYOUT).open(((1, 3), (5, 6)), decode=False) as reader:
        write(reader, 6, (0, 2), (2, 6), (6, 7))
        assert [(page.first, page.count) for page in reader.pages()] == [(1, 2), (5, 1)]
        assert positions(reader, 1, 3) == [1, 2]


def test_pages_that_are_full_and_read_are_free_for_others() -> None:
    readers = RowReaders(LAYOUT)
    with readers.open() as reader:
        write(reader, 10, (0, 10))
        reader.release(9)
        assert [(page.first, page.count) for page in reader.pages()] == [(8, 2)]
        with pytest.raises(RowsMissingError):
            reader.read(7, 9)
    assert readers.pool.owners() == set()


def test_a_full_pool_costs_one_request_its_rows_from_then_on() -> None:
    readers = RowReaders(LAYOUT)
    with readers.open() as first, readers.open() as second:
        write(first, 12, (0, 12))
        placer = write(second, 8, (0, 8))
        first.release(12)
        write_on(placer, (8, 9))  # there is room again, but not for who has a gap
        assert positions(first, 8, 8) == []
        assert positions(second, 0, 4) == [0, 1, 2, 3]
        assert [page.first for page in second.pages()] == [0]
        with pytest.raises(RowsMissingError, match="position 4 "):
            second.read(0, 9)


def test_a_request_that_was_preempted_writes_no_row_twice() -> None:
    with RowReaders(LAYOUT).open() as reader:
        write(reader, 3, (0, 3), (3, 5))
        write(reader, 3, (0, 4), (4, 6), (6, 7))  # begun again, with all that it had written
        assert [(page.first, page.count) for page in reader.pages()] == [(0, 3), (3, 2), (5, 2)]
        assert positions(reader, 0, 7) == [0, 1, 2, 3, 4, 5, 6]


def test_what_was_written_for_a_request_after_its_end_is_freed_by_the_next() -> None:
    readers = RowReaders(LAYOUT)
    with readers.open() as reader:
        placer = write(reader, 2, (0, 2))
    write_on(placer, (2, 3))  # a step that was under way
    assert readers.pool.owners() == {reader.request.owner}
    with readers.open() as other:
        assert readers.pool.owners() == set()
        assert other.request.owner != reader.request.owner


def test_half_numbers_are_read_as_what_they_mean() -> None:
    readers = RowReaders(RowLayout(1, 2, "bfloat16", pages=1, page_rows=2))
    with readers.open() as reader:
        placer = RowPlacer(RowPool.attach(reader.request.pool), reader.request, 2)
        (run,) = placer.places(0, 2)
        placer.pool.rows.view(np.uint16)[0, run.row :] = [[0x3F80, 0xC040], [0x3E80, 0x0000]]
        assert reader.floats(0, 2).tolist() == [[[1.0, -3.0]], [[0.25, 0.0]]]


def test_a_request_says_what_it_wants_in_plain_values() -> None:
    told = RowRequest("/proc/1/fd/3", 7, ((0, 2), (4, 9)), decode=False)
    assert asked(asking(told)) == told
    assert asked(asking(RowRequest("/proc/1/fd/3", 7))) == RowRequest("/proc/1/fd/3", 7)
    assert asked({"qwen3_tts": {}}) is None
    assert asked(None) is None
