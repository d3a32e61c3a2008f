"""The bounded streams between the stages of a turn."""

from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Generic, Self, TypeVar

from pipeline.aio.signal import Signal

T = TypeVar("T")


class Stream(Generic[T]):
    """One writer, one reader. The writer waits while `inflight` chunks are unread.

    Of several that one stage reads, those that it does not wait for take more while it waits for another: else two
    stages that read the same one could wait for each other for ever.

    It closes when the writer leaves `async with` cleanly; a writer that fails leaves it open, because
    the turn that owns both ends is cancelled then. The reader iterates over it, and leaves with
    `aclose`; what is sent after that is dropped.
    """

    def __init__(self, inflight: int) -> None:
        self._inflight = inflight
        self._unread: deque[T] = deque()
        self._closed = False
        self._abandoned = False
        self._is_awaited = False
        self._beside: tuple[Stream[T], ...] = ()
        self._changed = Signal()

    @classmethod
    def side_by_side(cls, inflight: Sequence[int]) -> "tuple[Stream[T], ...]":
        """Streams that one stage reads, each with a bound of its own."""
        streams = tuple(cls(bound) for bound in inflight)
        for stream in streams:
            stream._beside = tuple(each for each in streams if each is not stream)
        return streams

    async def send(self, chunk: T) -> None:
        while len(self._unread) >= self._inflight and not any(each._is_awaited for each in self._beside):
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
            await self._waited()
        chunk = self._unread.popleft()
        self._changed.fire()
        return chunk

    async def aclose(self) -> None:
        """The reader leaves."""
        self._abandoned = True
        self._unread.clear()
        self._changed.fire()

    async def _waited(self) -> None:
        self._is_awaited = True
        for each in self._beside:
            each._changed.fire()
        try:
            await self._changed.wait()
        finally:
            self._is_awaited = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._closed = True
            self._changed.fire()


class Fork(Generic[T]):
    """What a stage writes, for all that read it: it waits for the slowest."""

    def __init__(self, streams: Sequence[Stream[T]]) -> None:
        self._streams = streams

    async def send(self, chunk: T) -> None:
        for stream in self._streams:
            await stream.send(chunk)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in self._streams:
            await stream.__aexit__(kind, error, trace)
