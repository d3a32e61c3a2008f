"""Reads the rows of requests out of a pool, and frees their pages."""

from itertools import count
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pipeline.models.hidden_states.extra_args import RowRequest, Spans
from pipeline.models.hidden_states.row_pool import RowLayout, RowPage, RowPool
from pipeline.models.hidden_states.row_writer import RowPlacer


class RowsMissingError(Exception):
    """Rows that an engine should have written are not there: the pool was full."""


class RowReaders:
    """All that reads out of one pool. It is the only one that frees its pages."""

    def __init__(self, layout: RowLayout) -> None:
        self.pool = RowPool.create(layout)
        self._numbers = count(1)
        self._live: set[int] = set()

    def open(self, spans: Spans | None = None, *, decode: bool = True) -> "RowReader":
        """A reader for one request. What was written for others after they had been closed is freed.

        Args:
            spans: Positions of the prompt whose rows are wanted; None: all of them.
            decode: Whether rows of tokens that are written are wanted, too.
        """
        for lost in self.pool.owners() - self._live:
            self._free(lost)
        owner = next(self._numbers)
        self._live.add(owner)
        return RowReader(self, RowRequest(self.pool.path, owner, spans, decode))

    def drop(self, owner: int) -> None:
        """Frees all pages of an owner for good. The engine must have dropped its request before."""
        self._live.discard(owner)
        self._free(owner)

    def close(self) -> None:
        self.pool.close()

    def _free(self, owner: int) -> None:
        for page in self.pool.pages_of(owner):
            self.pool.free(page.number)


class RowReader:
    """The rows of one request, as a context manager: at its end nothing of it is left in the pool.

    The rows of a step are there once an output of that step has come: the engine copies them before its tokens. So
    after `n` tokens there are those of the prompt and of the first `n - 1` tokens: the last one has not been read.

    Attributes:
        request: What the engine is told.
        pool: Where its rows lie.
    """

    def __init__(self, readers: RowReaders, request: RowRequest) -> None:
        self.request = request
        self._readers = readers
        self.pool = readers.pool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._readers.drop(self.request.owner)

    def read(self, begin: int, end: int) -> NDArray[np.uint8]:
        """Copies the rows of positions from `begin` to `end` out of the pool.

        Returns:
            [positions, bytes of a row].

        Raises:
            RowsMissingError: One is not there.
        """
        rows = np.empty((end - begin, self.pool.layout.row_bytes), np.uint8)
        at = begin
        for page in self.pool.pages_of(self.request.owner):
            if page.first <= at < page.end:
                last = min(page.end, end)
                rows[at - begin : last - begin] = self.pool.rows[page.number, at - page.first : last - page.first]
                at = last
        if at < end:
            raise RowsMissingError(f"the row of position {at} is not there: all pages of the pool were taken")
        return rows

    def pages(self) -> tuple[RowPage, ...]:
        """The pages as they are now, for a process that reads them itself."""
        return tuple(self.pool.pages_of(self.request.owner))

    def release(self, before: int) -> None:
        """Frees full pages that hold nothing from position `before` on."""
        for page in self.pages():
            if page.count == self.pool.layout.page_rows and page.end <= before:
                self.pool.free(page.number)

    def release_all(self) -> None:
        """Frees all pages that are there."""
        for page in self.pages():
            self.pool.free(page.number)

    def write(self, rows: NDArray[np.uint8]) -> tuple[RowPage, ...]:
        """Fills pages with rows for a process that only reads, where no other process writes to the pool.

        Args:
            rows: [positions, bytes of a row].

        Returns:
            The pages, in the order of the rows.

        Raises:
            RowsMissingError: There is no room for all of them.
        """
        placed = 0
        target = self.pool.rows.reshape(-1, self.pool.layout.row_bytes)
        for run in RowPlacer(self.pool, self.request, len(rows)).places(0, len(rows)):
            target[run.row : run.row + run.count] = rows[run.position : run.position + run.count]
            placed += run.count
        if placed < len(rows):
            raise RowsMissingError(f"of {len(rows)} rows {placed} have room: all pages of the pool were taken")
        return self.pages()

    def floats(self, begin: int, end: int) -> NDArray[np.float32]:
        """The rows as numbers, [positions, layers, width]."""
        return as_floats(self.read(begin, end), self.pool.layout)


def as_floats(rows: NDArray[np.uint8], layout: RowLayout) -> NDArray[np.float32]:
    """Bytes of rows as numbers, [rows, layers, width]."""
    if layout.dtype == "bfloat16":
        numbers = (rows.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        numbers = rows.view(layout.dtype).astype(np.float32)
    return numbers.reshape(len(rows), layout.layers, layout.width)
