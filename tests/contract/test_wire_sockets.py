"""How a connection begins, breaks and goes on."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pipeline.engines.fake import writes
from pipeline.speech.vad_frontend import Pcm
from tests.contract.wire_caller import calling
from tests.contract.wire_media import base64, quiet
from tests.contract.wire_wait import PATIENCE_S, eventually
from tests.scenario import Line, Loudness
from tests.served import KEY, Served, served

pytestmark = pytest.mark.contract

COUNT = " ".join(f"Number {n}." for n in range(1, 41))
QUESTION = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Count to forty."}]}


@asynccontextmanager
async def connected(pipeline: Served, unread: int = 16) -> AsyncGenerator[ClientConnection, None]:
    """A client that stops reading from the network when `unread` messages wait for it."""
    headers = {"Authorization": f"Bearer {KEY}"}
    opening = connect(
        pipeline.websocket_url, additional_headers=headers, proxy=None, open_timeout=PATIENCE_S, max_queue=unread
    )
    async with opening as socket:
        yield socket


async def ask(socket: ClientConnection) -> None:
    """Returns when the answer sounds."""
    await socket.send(json.dumps({"type": "conversation.item.create", "item": QUESTION}))
    await socket.send(json.dumps({"type": "response.create"}))
    async with asyncio.timeout(5):
        while json.loads(await socket.recv())["type"] != "response.output_audio.delta":
            pass


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer wrong", f"Basic {KEY}", KEY, f"Bearer {KEY}x"])
async def test_nobody_comes_in_without_the_key(authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    async with served() as pipeline:
        with pytest.raises(InvalidStatus) as refused:
            await connect(pipeline.websocket_url, additional_headers=headers, proxy=None, open_timeout=PATIENCE_S)
        assert refused.value.response.status_code == 401
        body = json.loads(refused.value.response.body)
        assert body["error"]["code"] == "invalid_api_key"
        async with calling(pipeline) as caller:
            await caller.still_works()


async def test_a_third_caller_of_two_is_told_when_to_come_again() -> None:
    async with served(max_sessions=2) as pipeline:
        async with connected(pipeline), calling(pipeline) as second:
            with pytest.raises(InvalidStatus) as refused:
                await connect(pipeline.websocket_url, additional_headers={"Authorization": f"Bearer {KEY}"}, proxy=None)
            assert refused.value.response.status_code == 503
            assert refused.value.response.headers["Retry-After"] == "5"
            assert json.loads(refused.value.response.body)["error"]["code"] == "full"
            async with aiohttp.ClientSession(pipeline.url) as http, http.get("/metrics") as answer:
                told = set((await answer.text()).splitlines())
            assert 'aura_refused_connections_total{reason="full"} 1.0' in told
            assert {"aura_sessions 2.0", "aura_max_sessions 2.0", "aura_ready 1.0"} < told
            await second.still_works()
        async with calling(pipeline) as third:
            await third.still_works()


async def test_a_place_is_free_the_moment_its_socket_is_gone() -> None:
    line = Line(aura=replace(writes(COUNT, word_s=0.1), abort_s=1.5))
    async with served(line, max_sessions=1) as pipeline:
        async with connected(pipeline) as first:
            await ask(first)
        async with connected(pipeline):
            assert pipeline.pipeline.free_sessions == 0
            assert await line.aura.busy() == 1, "the old engine request is still being dropped"


async def test_engines_are_idle_once_a_caller_has_vanished() -> None:
    line = Line(aura=writes(COUNT, word_s=0.1))
    async with served(line) as pipeline:
        async with connected(pipeline) as socket:
            await ask(socket)
            assert await pipeline.pipeline.busy() == {"asr": 0, "aura": 1, "tts": 0}
            socket.transport.abort()
            await eventually(lambda: pipeline.pipeline.free_sessions == 4)
            await eventually(lambda: not line.aura.running)
        assert await pipeline.pipeline.busy() == {"asr": 0, "aura": 0, "tts": 0}


class SlowLoudness(Loudness):
    """Holds a session up while it hears."""

    async def feed(self, pcm: Pcm) -> list[float]:
        await asyncio.sleep(0.3)
        return await super().feed(pcm)


async def test_a_caller_who_pings_and_vanishes_ends_their_session_alone(caplog: pytest.LogCaptureFixture) -> None:
    line = Line(aura=writes(COUNT, word_s=0.1))
    heard = {"type": "input_audio_buffer.append", "audio": base64(quiet(0.1))}
    async with served(line, max_sessions=1, detector=SlowLoudness) as pipeline, connected(pipeline) as socket:
        await ask(socket)
        listening = {
            "type": "session.update",
            "session": {"audio": {"input": {"turn_detection": {"type": "server_vad"}}}},
        }
        await socket.send(json.dumps(listening))
        await socket.send(json.dumps(heard))
        await socket.ping()
        await asyncio.sleep(0.1)
        socket.transport.abort()
        await eventually(lambda: pipeline.pipeline.free_sessions == 1)
        await eventually(lambda: not line.aura.running)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize(
    ("send", "code"),
    [
        (lambda socket: socket.send(b"{}"), 1003),
        (lambda socket: socket.send(b'{"type": "\xff"}', text=True), 1007),
        (lambda socket: socket.send(json.dumps({"type": "x" * 17_000_000})), 1009),
    ],
    ids=["binary", "bad UTF-8", "too large"],
)
async def test_what_cannot_be_answered_closes_the_socket(
    send: Callable[[ClientConnection], Awaitable[None]], code: int
) -> None:
    async with served(max_sessions=1) as pipeline:
        async with connected(pipeline) as socket:
            with pytest.raises(ConnectionClosed):
                await send(socket)
                while True:
                    await asyncio.wait_for(socket.recv(), PATIENCE_S)
            assert socket.close_code == code
        async with calling(pipeline) as caller:
            await caller.still_works()


async def test_a_client_that_does_not_read_is_dropped_and_costs_little(caplog: pytest.LogCaptureFixture) -> None:
    async with served(max_sessions=1) as pipeline:
        async with connected(pipeline, unread=1) as socket:
            item = QUESTION | {"id": "long", "content": [{"type": "input_text", "text": "x" * 1_000_000}]}
            await socket.send(json.dumps({"type": "conversation.item.create", "item": item}))
            tracemalloc.start()
            try:
                with pytest.raises(ConnectionClosed):
                    for _ in range(100):
                        await socket.send(json.dumps({"type": "conversation.item.retrieve", "item_id": "long"}))
                        await asyncio.sleep(0.01)
                _, most = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
        assert most < 20_000_000
        assert [record.getMessage() for record in caplog.records].count("client does not read") == 1
        async with calling(pipeline) as caller:
            await caller.still_works()


async def test_who_is_gone_before_the_handshake_leaves_no_trace_and_no_place_taken(
    caplog: pytest.LogCaptureFixture,
) -> None:
    request = (
        f"GET /v1/realtime HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    async with served(max_sessions=1) as pipeline:
        for _ in range(50):
            _, writer = await asyncio.open_connection("127.0.0.1", int(pipeline.url.rpartition(":")[2]))
            writer.write(request.encode())
            writer.transport.abort()
        await eventually(lambda: pipeline.pipeline.free_sessions == 1)
        async with calling(pipeline) as caller:
            await caller.still_works()
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_server_that_stops_says_goodbye() -> None:
    async with served() as pipeline:
        socket = await connect(
            pipeline.websocket_url, additional_headers={"Authorization": f"Bearer {KEY}"}, proxy=None
        )
    await asyncio.wait_for(socket.wait_closed(), 5)
    assert socket.close_code == 1001
