"""One TLS port for page, signalling and TURN."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from yarl import URL

from agent.settings.access import PasswordAccess
from agent.settings.agent import WebSettings
from agent.settings.outside import OutsideSettings
from agent.web.outside.certificates import local_certificate
from agent.web.outside.front import front
from agent.web.outside.serving import serving_outside
from infra.launcher.supervise.ports import choose_ports
from tests.agent.web.page_server import LIVEKIT, PipelineState

pytestmark = pytest.mark.anyio

HOST = "127.0.0.1"
PASSWORD = "correct horse battery"
ALLOCATE = b"\x00\x03\x00\x00\x21\x12\xa4\x42" + bytes(12)  # a request of TURN (RFC 8656)


@dataclass(frozen=True, slots=True)
class Served:
    outside: OutsideSettings
    trusting: ssl.SSLContext

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.outside.port}"

    @property
    def root_url(self) -> str:
        return f"http://{HOST}:{self.outside.root_port}"


@pytest.fixture
async def served(state: PipelineState, tmp_path: Path) -> AsyncIterator[Served]:
    """With a LiveKit server that says back what it is sent, and a TURN server that does so backwards."""
    made = local_certificate(tmp_path / "tls", [HOST], datetime.now(UTC))  # noqa: TID251 - of a certificate
    (tmp_path / "index.html").write_text("<h1>page</h1>" + "x" * 300_000)

    async def turn(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data[::-1])
            await writer.drain()
        writer.close()

    async def rtc(request: web.Request) -> web.StreamResponse:
        if request.query.get("access_token") != "good":
            return web.Response(status=401, text="no permissions to access the room")
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await socket.send_bytes(message.data + request.headers["X-Forwarded-For"].encode())
            if message.data == b"end":
                await socket.close(code=4001)
        return socket

    livekit, pipeline = web.Application(), web.Application()
    livekit.add_routes([web.get("/rtc/v1", rtc), web.get("/rtc/v1/validate", rtc), web.get("/agent", rtc)])
    pipeline.add_routes([web.get("/ready", state.answer), web.get("/about", state.answer_about)])
    ports = choose_ports({})
    outside = OutsideSettings(
        HOST, HOST, ports.tls, made.certificate, made.key, made.root, ports.trust, turn_port=ports.turn
    )
    async with (
        TestServer(livekit) as first,
        TestServer(pipeline) as second,
        await asyncio.start_server(turn, HOST, ports.turn),
    ):
        here = replace(LIVEKIT, url=f"ws://{HOST}:{first.port}")
        url = f"http://{HOST}:{second.port}"
        settings = WebSettings(url, here, access=PasswordAccess(PASSWORD), outside=outside)
        async with serving_outside(settings, tmp_path):
            yield Served(outside, ssl.create_default_context(cafile=str(made.root)))


async def test_the_page_comes_over_tls_that_the_root_vouches_for(served: Served) -> None:
    async with aiohttp.ClientSession() as http:
        async with http.get(served.url, ssl=served.trusting) as answer:
            assert (answer.status, len(await answer.text())) == (200, 300_013)
            policy = answer.headers["Content-Security-Policy"]
            assert f"connect-src 'self' wss://{HOST}:{served.outside.port} {served.url}" in policy
            assert answer.headers["Strict-Transport-Security"] == "max-age=86400"
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await http.get(served.url)


async def test_whoever_says_the_password_is_sent_to_signalling_at_the_same_origin(served: Served) -> None:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        async with http.post(f"{served.url}/api/token", ssl=served.trusting) as refused:
            assert refused.status == 401
        said = {"password": PASSWORD}
        async with http.post(f"{served.url}/api/access/password", json=said, ssl=served.trusting) as entered:
            assert entered.status == 204
        async with http.post(f"{served.url}/api/token", ssl=served.trusting) as granted:
            assert (await granted.json())["server_url"] == f"wss://{HOST}:{served.outside.port}"


async def test_signalling_goes_through_and_ends_as_livekit_ends_it(served: Served) -> None:
    async with aiohttp.ClientSession() as http:
        url = f"{served.url}/rtc/v1?access_token=good&join_request=a%2Bb"
        async with http.ws_connect(url, ssl=served.trusting) as socket:
            await socket.send_bytes(b"hello ")
            assert await socket.receive_bytes() == b"hello 127.0.0.1"
            await socket.send_bytes(b"end")
            await socket.receive_bytes()
            assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
            assert socket.close_code == 4001


async def test_whom_livekit_refuses_is_refused_and_told_why(served: Served) -> None:
    async with aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(f"{served.url}/rtc/v1", ssl=served.trusting)
        assert refused.value.status == 401
        async with http.get(f"{served.url}/rtc/v1/validate", ssl=served.trusting) as why:
            assert (why.status, await why.text()) == (401, "no permissions to access the room")
        async with http.get(f"{served.url}/twirp/livekit.RoomService/ListRooms", ssl=served.trusting) as api:
            assert api.status == 404  # of LiveKit only what callers need is reached from outside


@pytest.mark.parametrize("path", ["/rtc/../agent", "/rtc/v1/../../agent", "/rtc/%2e%2e/agent", "/rtc/..%2Fagent"])
async def test_no_detour_leads_to_what_else_livekit_has(served: Served, path: str) -> None:
    async with aiohttp.ClientSession() as http:
        url = URL(f"{served.url}{path}?access_token=good", encoded=True)
        async with http.get(url, ssl=served.trusting) as answer:
            assert answer.status == 404
        with pytest.raises(aiohttp.WSServerHandshakeError, match="404"):
            await http.ws_connect(url, ssl=served.trusting)


async def test_turn_goes_through_the_same_port_in_both_directions(served: Served) -> None:
    reader, writer = await asyncio.open_connection(HOST, served.outside.port, ssl=served.trusting)
    writer.write(ALLOCATE)
    assert await reader.readexactly(len(ALLOCATE)) == ALLOCATE[::-1]
    much = bytes(range(256)) * 4_096
    writer.write(much)
    assert sorted(await reader.readexactly(len(much))) == sorted(much)
    writer.close()
    await writer.wait_closed()


async def test_it_ends_while_somebody_is_connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closing = asyncio.Event()

    async def wait_closed(_: asyncio.Server) -> None:  # as Python 3.12 has it
        await closing.wait()

    monkeypatch.setattr(asyncio.Server, "wait_closed", wait_closed)
    made = local_certificate(tmp_path, [HOST], datetime.now(UTC))  # noqa: TID251 - of a certificate
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(made.certificate, made.key)
    async with asyncio.timeout(5):
        async with front(asyncio.Protocol, 0, HOST, 0, tls) as server:
            port = server.sockets[0].getsockname()[1]
            _, writer = await asyncio.open_connection(HOST, port, ssl=ssl.create_default_context(cafile=str(made.root)))
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HOST, port)
    writer.close()


async def test_over_http_there_is_the_root_and_how_to_trust_it_and_nothing_else(served: Served) -> None:
    async with aiohttp.ClientSession() as http:
        async with http.get(f"{served.root_url}/") as answer:
            page = await answer.text()
            assert f"{served.url}/" in page and 'lang="de"' in page and "$" not in page
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        async with http.get(f"{served.root_url}/aura.crt") as answer:
            assert (await answer.read()).startswith(b"-----BEGIN CERTIFICATE-----")
            assert answer.content_type == "application/x-x509-ca-cert"
        for path in ("/api/token", "/root.key", "/rtc", "/../server.key"):
            async with http.get(f"{served.root_url}{path}") as answer:
                assert answer.status == 404 and answer.headers["X-Content-Type-Options"] == "nosniff"
