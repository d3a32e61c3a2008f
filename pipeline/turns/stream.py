"""The bounded stream between two stages of a turn."""

from collections import deque
from types import TracebackType
from typing import Generic, Self, TypeVar

from pipeline.aio.signal import Signal

T = TypeVar("T")


class Stream(Generic[T]):
    """One writer, one reader. The writer waits while `inflight` chunks are unread.

    It closes when the writer leaves `async with` cleanly; a writer that fails leaves it open, because
    the turn that owns both ends is cancelled then. The reader iterates over it, and leaves with
    `aclose`; what is sent after that is dropped.
    """

    def __init__(self, inflight: int) -> None:
        self._inflight = inflight
        self._unread: deque[T] = deque()
        self._closed = False
        self._abandoned = False
        self._changed = Signal()

    async def send(self, chunk: T) -> None:
        while len(self._unread) >= self._inflight:
            await self._changed.wait()
        if not self._abandoned:
            self._unread.append(chunk)
            self._changed.fire()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        while not self._unread:
            if self._closed or self._abandoned:
                raise StopAsyncIteration
            await self._changed.wait()
        chunk = self._unread.popleft()
        self._changed.fire()
        return chunk

    async def aclose(self) -> None:
        """The reader leaves."""
        self._abandoned = True
        self._unread.clear()
        self._changed.fire()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._closed = True
            self._changed.fire()
