"""Pages of rows in memory that two processes share: one of them fills pages, the other reads and frees them.

A page belongs to one request and holds rows of positions that follow one another. The writer takes a page by writing
its owner, and the reader frees it by writing 0: no entry is ever written by both, and no lock is needed.
"""

import mmap
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Self

import numpy as np
from msgspec import json
from numpy.typing import NDArray

ALIGNED = mmap.PAGESIZE
NOBODY = 0
_PAGE = np.dtype([("owner", np.uint64), ("first", np.uint32), ("count", np.uint32)])
_ROW_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


@dataclass(frozen=True, slots=True)
class RowLayout:
    """How a pool is laid out: what is no fact of the model is its bound.

    Attributes:
        layers: How many layers a row holds, one after the other.
        width: Numbers of each.
        dtype: `float32`, `bfloat16` or `float16`.
    """

    layers: int
    width: int
    dtype: str
    pages: int
    page_rows: int = 16

    @property
    def row_bytes(self) -> int:
        return self.layers * self.width * _ROW_BYTES[self.dtype]

    @property
    def table_at(self) -> int:
        return ALIGNED

    @property
    def rows_at(self) -> int:
        end = ALIGNED + self.pages * _PAGE.itemsize
        return -(-end // ALIGNED) * ALIGNED

    @property
    def size(self) -> int:
        return self.rows_at + self.pages * self.page_rows * self.row_bytes


@dataclass(frozen=True, slots=True)
class RowPage:
    """A page that holds `count` rows, of the positions from `first` on."""

    number: int
    first: int
    count: int

    @property
    def end(self) -> int:
        return self.first + self.count


class RowPool:
    """One process's view of the memory.

    Attributes:
        path: Under which another process opens it, as long as the one that made it lives.
        rows: uint8, [pages, rows of a page, bytes of a row].
    """

    def __init__(self, layout: RowLayout, memory: mmap.mmap, path: str, fd: int | None = None) -> None:
        self.layout = layout
        self.path = path
        self.memory = memory
        self._fd = fd
        self._table: NDArray[np.void] = np.frombuffer(memory, _PAGE, layout.pages, layout.table_at)
        rows = np.frombuffer(memory, np.uint8, layout.pages * layout.page_rows * layout.row_bytes, layout.rows_at)
        self.rows: NDArray[np.uint8] = rows.reshape(layout.pages, layout.page_rows, layout.row_bytes)

    @classmethod
    def create(cls, layout: RowLayout) -> Self:
        """Makes a pool that has no name: it is gone with the last process that has it open."""
        fd = os.memfd_create("aura-hidden-states")
        os.ftruncate(fd, layout.size)
        memory = mmap.mmap(fd, layout.size)
        told = json.encode(asdict(layout))
        assert len(told) < ALIGNED
        memory[: len(told)] = told
        return cls(layout, memory, f"/proc/{os.getpid()}/fd/{fd}", fd)

    @classmethod
    def attach(cls, path: str) -> Self:
        """Opens a pool of another process, or of this one."""
        fd = os.open(path, os.O_RDWR)
        try:
            memory = mmap.mmap(fd, os.fstat(fd).st_size)
        finally:
            os.close(fd)
        return cls(json.decode(memory[:ALIGNED].rstrip(b"\0"), type=RowLayout), memory, path)

    def take(self, owner: int, first: int) -> int | None:
        """A page of its own for an owner; None: all are taken. For the writer."""
        free = np.flatnonzero(self._table["owner"] == NOBODY)
        if not len(free):
            return None
        page = int(free[0])
        self._table["first"][page], self._table["count"][page] = first, 0
        self._table["owner"][page] = owner
        return page

    def fill(self, page: int, count: int) -> None:
        """So many rows of a page are there, or on their way. For the writer."""
        self._table["count"][page] = count

    def pages_of(self, owner: int) -> Iterator[RowPage]:
        """Yields an owner's pages in the order of their positions."""
        own = np.flatnonzero(self._table["owner"] == owner)
        for page in own[np.argsort(self._table["first"][own], kind="stable")].tolist():
            yield RowPage(page, int(self._table["first"][page]), int(self._table["count"][page]))

    def free(self, page: int) -> None:
        """For the reader."""
        self._table["owner"][page] = NOBODY

    def owners(self) -> set[int]:
        """Those who have pages."""
        return {owner for owner in self._table["owner"].tolist() if owner != NOBODY}

    @property
    def rows_held(self) -> int:
        """How many rows all owners' pages hold."""
        return int(self._table["count"][self._table["owner"] != NOBODY].sum())

    def close(self) -> None:
        """The memory goes when nobody has it open and nothing looks at it any more."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
