"""One TLS port for all: HTTP goes to the page's server, TURN to livekit-server.

Whoever connects speaks first, with TURN as with HTTP, so the first byte tells them apart: a STUN message begins with 0
or 1 (RFC 8489, section 5), a request of HTTP with a letter.
"""

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from agent.aio.background_tasks import OwnedTasks
from agent.web.outside.tunnel import TunnelEnd

STUN = (0, 1)  # first bytes
SILENT_S = 15.0  # a connection on which nobody has said anything by then is closed
MOST_OF_AN_ADDRESS = 128  # connections; a call has four at the most

HttpProtocol = Callable[[], asyncio.Protocol]


@asynccontextmanager
async def front(
    http: HttpProtocol, turn_port: int, host: str, port: int, tls: ssl.SSLContext
) -> AsyncGenerator[asyncio.Server]:
    """Listen for as long as the context lasts. Connections that are open then stay so, until `http` ends them or the
    loop does.

    Args:
        http: Makes the protocol of a connection to the page's server.
        turn_port: Of livekit-server's TURN, on loopback; 0: there is none.

    Raises:
        OSError: It cannot listen there.
    """
    tasks, open_of = OwnedTasks(), Counter[str]()
    server = await asyncio.get_running_loop().create_server(
        lambda: _Newcomer(http, turn_port, tasks, open_of), host, port, ssl=tls
    )
    try:
        yield server
    finally:
        server.close()  # from Python 3.12 on, waiting for that would be waiting until whoever is connected has gone
        await tasks.aclose()


class _Newcomer(asyncio.Protocol):
    """A connection: of whom nobody knows what it is at first, and then what its first byte has made of it."""

    def __init__(self, http: HttpProtocol, turn_port: int, tasks: OwnedTasks, open_of: Counter[str]) -> None:
        self._http, self._turn_port, self._tasks, self._open_of = http, turn_port, tasks, open_of
        self._transport: asyncio.Transport | None = None
        self._became: asyncio.Protocol | None = None
        self._silent: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._address = (transport.get_extra_info("peername") or ("",))[0]
        self._open_of[self._address] += 1
        if self._open_of[self._address] > MOST_OF_AN_ADDRESS:
            transport.abort()
        else:
            self._silent = asyncio.get_running_loop().call_later(SILENT_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        if self._became is None:
            self._became = self._become(data[0])
        if self._became:
            self._became.data_received(data)

    def eof_received(self) -> bool | None:
        return self._became.eof_received() if self._became else None

    def pause_writing(self) -> None:
        if self._became:
            self._became.pause_writing()

    def resume_writing(self) -> None:
        if self._became:
            self._became.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._silent:
            self._silent.cancel()
        self._open_of[self._address] -= 1
        if not self._open_of[self._address]:
            del self._open_of[self._address]
        if self._became:
            self._became.connection_lost(exc)

    def _become(self, first: int) -> asyncio.Protocol | None:
        assert self._transport
        if self._silent:
            self._silent.cancel()
        if first not in STUN:
            became = self._http()
        elif self._turn_port:
            became = TunnelEnd(self._turn_port, self._tasks)
        else:
            self._transport.abort()
            return None
        became.connection_made(self._transport)
        return became
