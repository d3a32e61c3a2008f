"""This module reads what a program writes to its standard error: it is told nowhere but for its last line."""

import asyncio
import os
from types import TracebackType
from typing import Self, TextIO

MOST = 4_096  # bytes of it that are kept
READ = 65_536
PAUSE_S = 0.05  # between two reads, so that one that never stops costs little


class StderrTail:
    """Give `file` to the program. Inside its context it is read, so that the program never waits for that."""

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._fd, write = os.pipe()
        os.set_blocking(self._fd, False)
        self.file: TextIO = os.fdopen(write, "w")
        self._kept = b""
        self._later = self._loop.call_soon(self._listen)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._later.cancel()
        self._loop.remove_reader(self._fd)
        self.file.close()
        os.close(self._fd)

    @property
    def line(self) -> str:
        """The last line so far that is not empty, without what moves a cursor."""
        self._read()
        lines = ["".join(filter(str.isprintable, each)).strip() for each in _text(self._kept).splitlines()]
        return next(filter(None, reversed(lines)), "")

    def _listen(self) -> None:
        self._loop.add_reader(self._fd, self._take)

    def _take(self) -> None:
        self._read()
        self._loop.remove_reader(self._fd)
        self._later = self._loop.call_later(PAUSE_S, self._listen)

    def _read(self) -> None:
        try:
            self._kept = (self._kept + os.read(self._fd, READ))[-MOST:]
        except BlockingIOError:
            return


def _text(kept: bytes) -> str:
    return kept.decode(errors="replace")
