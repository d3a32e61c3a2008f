"""The bounded stream between two stages of a turn."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Link(Generic[T]):
    """One writer, one reader. The writer waits while `inflight` chunks are unread.

    It closes when the writer leaves `async with` cleanly; a writer that fails leaves it open, because
    the turn that owns both ends is cancelled then. What is sent after the reader has gone is dropped.
    """

    def __init__(self, inflight: int) -> None:
        self._inflight = inflight
        self._unread: deque[T] = deque()
        self._closed = False
        self._abandoned = False
        self._changed = asyncio.Event()

    async def send(self, chunk: T) -> None:
        while len(self._unread) >= self._inflight and not self._abandoned:
            await self._change()
        if not self._abandoned:
            self._unread.append(chunk)
            self._changed.set()

    async def chunks(self) -> AsyncGenerator[T, None]:
        """Every chunk once, in order; ends when the link is closed and empty."""
        try:
            while True:
                while self._unread:
                    chunk = self._unread.popleft()
                    self._changed.set()
                    yield chunk
                if self._closed:
                    return
                await self._change()
        finally:
            self._abandoned = True
            self._unread.clear()
            self._changed.set()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._closed = True
            self._changed.set()
