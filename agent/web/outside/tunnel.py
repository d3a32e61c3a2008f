"""Carries the bytes of one connection to a port of this machine and back, no faster than either end takes them."""

import asyncio

from agent.aio.background_tasks import OwnedTasks

LOOPBACK = "127.0.0.1"


class TunnelEnd(asyncio.Protocol):
    """The end towards whoever has connected.

    Args:
        port: On loopback, where the other end goes.
    """

    def __init__(self, port: int, tasks: OwnedTasks) -> None:
        self._port, self._tasks = port, tasks
        self._near: asyncio.Transport | None = None
        self._far: asyncio.Transport | None = None
        self._early = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._near = transport
        transport.pause_reading()  # until there is somewhere to write to
        self._tasks.start(self._connect(transport), "tunnel:connect")

    def data_received(self, data: bytes) -> None:
        if self._far:
            self._far.write(data)
        else:
            self._early += data

    def pause_writing(self) -> None:
        if self._far:
            self._far.pause_reading()

    def resume_writing(self) -> None:
        if self._far:
            self._far.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._near = None
        if self._far:
            self._far.close()

    async def _connect(self, near: asyncio.Transport) -> None:
        loop = asyncio.get_running_loop()
        try:
            far, _ = await loop.create_connection(lambda: _FarEnd(near), LOOPBACK, self._port)
        except OSError:
            near.abort()
            return
        if self._near is None:  # it has gone meanwhile
            far.abort()
            return
        self._far = far
        far.write(bytes(self._early))
        self._early.clear()
        near.resume_reading()


class _FarEnd(asyncio.Protocol):
    """The end towards the port of this machine."""

    def __init__(self, near: asyncio.Transport) -> None:
        self._near = near

    def data_received(self, data: bytes) -> None:
        self._near.write(data)

    def pause_writing(self) -> None:
        self._near.pause_reading()

    def resume_writing(self) -> None:
        self._near.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._near.close()
