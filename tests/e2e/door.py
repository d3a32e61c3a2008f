"""The door in front of a pipeline that says what a test wants, and a proxy that breaks down half."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha1
from typing import Any

from agent.settings.agent import LiveKitSettings
from tests.agent.web.page_server import LIVEKIT, PipelineState, page_server
from tests.e2e.stack import ROOT

WEBSOCKET = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
GOODBYE = b"\x88\x02\x03\xe8"  # a WebSocket's closing frame, with the code 1000
PAGE = ROOT / "frontend" / "dist"
SEES: Mapping[str, Any] = {"sees": True, "languages": ["en", "es"], "voices": ["alto"], "voice_languages": ["en", "es"]}
BLIND: Mapping[str, Any] = {"sees": False, "languages": ["en"], "voices": ["alto"], "voice_languages": ["en"]}


@dataclass(frozen=True, slots=True)
class DoorServer:
    """Where the page is, and what its pipeline says."""

    url: str
    state: PipelineState

    def tells(self, *, ready: bool = True, **fields: Any) -> None:
        """What the pipeline says of itself from now on."""
        self.state.about = json.dumps({"model": "aura-scripted", "ready": ready, **fields})

    def refuses(self, status: int, body: str) -> None:
        """What the pipeline answers whether it is ready."""
        self.state.status, self.state.body = status, body


@asynccontextmanager
async def door_server(livekit: LiveKitSettings = LIVEKIT, **about: Any) -> AsyncGenerator[DoorServer]:
    """The built page and its server; the pipeline says `about` of itself."""
    assert (PAGE / "index.html").exists(), "the page is not built: npm run build"
    state = PipelineState()
    async with page_server(state, PAGE, livekit) as client:
        server = DoorServer(str(client.make_url("/")), state)
        server.tells(**(about or SEES))
        yield server


@dataclass(slots=True)
class HalfDeadProxy:
    """Passes on what it is sent, until it is broken: then it takes every WebSocket and closes it at once.

    Attributes:
        refused: Connections that it has taken so.
    """

    target: int
    port: int = 0
    broken: bool = False
    refused: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    def break_down(self) -> None:
        self.broken = True
        for writer in self._open:
            writer.close()
        self._open.clear()

    async def _refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.refused += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            writer.write(_welcome(await reader.readuntil(b"\r\n\r\n")))
            await writer.drain()
        writer.close()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.broken:
            await self._refuse(reader, writer)
            return
        there, onward = await asyncio.open_connection("127.0.0.1", self.target)
        self._open |= {writer, onward}
        async with asyncio.TaskGroup() as both:
            both.create_task(_pass_on(reader, onward), name="to the server")
            both.create_task(_pass_on(there, writer), name="from the server")


def _welcome(request: bytes) -> bytes:
    """The answer to an HTTP request: a WebSocket, if it asks for one, and its first and last frame (RFC 6455)."""
    headers = dict(line.lower().split(b": ", 1) for line in request.split(b"\r\n")[1:] if b": " in line)
    if b"websocket" not in headers.get(b"upgrade", b""):
        return b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 7\r\n\r\nsuccess"
    key = re.search(rb"sec-websocket-key: (\S+)", request, re.IGNORECASE)
    assert key, request
    accept = b64encode(sha1(key[1] + WEBSOCKET).digest())
    head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    return head + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n" + GOODBYE


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def half_dead_proxy(livekit: LiveKitSettings) -> AsyncGenerator[tuple[HalfDeadProxy, LiveKitSettings]]:
    """A proxy in front of a LiveKit server, and the settings of who goes through it."""
    proxy = HalfDeadProxy(int(livekit.url.rpartition(":")[2]))
    server = await asyncio.start_server(proxy.take, "127.0.0.1", 0)
    try:
        proxy.port = server.sockets[0].getsockname()[1]
        yield proxy, replace(livekit, url=f"ws://127.0.0.1:{proxy.port}")
    finally:
        server.close()
        proxy.break_down()
