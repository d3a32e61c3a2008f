"""Events on their way to one client: in order, and never more than so many bytes."""

import asyncio
from collections import deque

import msgspec

from pipeline.aio.signal import Signal
from pipeline.realtime.protocol.server_events import Wire

BACKLOG_BYTES = 4 * 1024 * 1024  # a minute of speech; a client this far behind is not reading


class Outbox:
    """A queue of encoded events.

    Args:
        backlog_bytes: What may wait; a single larger event may, if nothing else does.
    """

    def __init__(self, backlog_bytes: int = BACKLOG_BYTES) -> None:
        self._backlog_bytes = backlog_bytes
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()
        self._emptied = Signal()
        self._is_closed = False

    def put(self, wire: Wire) -> bool:
        """False, and it is dropped, if there is no room. Nobody misses it if the client has gone."""
        if self._is_closed:
            return True
        event = msgspec.json.encode(wire)
        if self._waiting and self._bytes + len(event) > self._backlog_bytes:
            return False
        self._waiting.append(event)
        self._bytes += len(event)
        self._changed.set()
        return True

    async def take(self) -> bytes:
        while not self._waiting:
            self._changed.clear()
            await self._changed.wait()
        event = self._waiting.popleft()
        self._bytes -= len(event)
        if not self._waiting:
            self._emptied.fire()
        return event

    async def emptied(self) -> None:
        """Returns when nothing waits any more."""
        while self._waiting:
            await self._emptied.wait()

    def close(self) -> None:
        """The client has gone."""
        self._is_closed = True
        self._waiting.clear()
        self._emptied.fire()
