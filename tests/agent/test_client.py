"""The client of the wire, against real sockets."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

from pipeline.realtime.client import (
    ConnectionLost,
    Event,
    PipelineFull,
    PipelineRefused,
    PipelineStarting,
    Readiness,
    RealtimeClient,
    Unauthorized,
    Unreachable,
    connect,
    readiness,
)

pytestmark = pytest.mark.anyio

Talk = Callable[[web.WebSocketResponse], Awaitable[object]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Server:
    """A server whose part of the conversation a test gives."""

    def __init__(self) -> None:
        self.requests: list[web.Request] = []
        self.talk: Talk | None = None
        self.refusal = web.Response(status=404)
        self.url = ""

    async def realtime(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        if self.talk is None:
            return self.refusal
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await self.talk(socket)
        return socket


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    the_server = Server()
    app = web.Application()
    app.add_routes([web.get("/v1/realtime", the_server.realtime)])
    async with TestServer(app) as running:
        the_server.url = str(running.make_url(""))
        yield the_server


async def all_of(pipeline: RealtimeClient) -> list[Event]:
    return [event async for event in pipeline]


async def test_events_go_both_ways_until_the_server_says_goodbye(server: Server) -> None:
    async def echo(socket: web.WebSocketResponse) -> None:
        await socket.send_str('{"type": "session.created"}')
        await socket.send_str(await socket.receive_str())

    server.talk = echo
    async with connect(server.url, "secret") as pipeline:
        await pipeline.send({"type": "session.update", "text": "é"})
        assert await all_of(pipeline) == [{"type": "session.created"}, {"type": "session.update", "text": "é"}]
    assert server.requests[0].headers["Authorization"] == "Bearer secret"
    assert "resume" not in server.requests[0].query


async def test_a_session_is_resumed_by_its_token(server: Server) -> None:
    async def hang_up(socket: web.WebSocketResponse) -> None: ...

    server.talk = hang_up
    async with connect(server.url, "secret", resume="a/b+c") as pipeline:
        assert await all_of(pipeline) == []
    assert server.requests[0].query["resume"] == "a/b+c"


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (web.Response(status=401), Unauthorized),
        (web.Response(status=404), PipelineRefused),
        (web.Response(status=500), PipelineRefused),
        (web.Response(status=502), Unreachable),
        (web.Response(status=503), PipelineFull),
        (web.Response(status=504), Unreachable),
    ],
)
async def test_a_refusal_says_what_it_is(server: Server, refusal: web.Response, error: type[Exception]) -> None:
    server.refusal = refusal
    with pytest.raises(error):
        async with connect(server.url, "secret"):
            pass


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("0.5", 0.5), ("soon", 5.0), ("-3", 0.0)])
async def test_a_full_server_says_when_to_ask_again(server: Server, header: str, seconds: float) -> None:
    server.refusal = web.Response(status=503, headers={"Retry-After": header})
    with pytest.raises(PipelineFull) as raised:
        async with connect(server.url, "secret"):
            pass
    assert raised.value.retry_after_s == seconds


async def test_a_server_that_has_no_place_yet_is_starting() -> None:
    async def starting(_: web.Request) -> web.Response:
        return web.Response(status=503, text='{"ready": false, "free_sessions": 0}')

    app = web.Application()
    app.add_routes([web.get("/ready", starting), web.get("/v1/realtime", starting)])
    async with TestServer(app) as running:
        with pytest.raises(PipelineStarting):
            async with connect(str(running.make_url("")), "secret"):
                pass


async def test_nobody_at_the_address() -> None:
    with pytest.raises(Unreachable):
        async with connect("http://127.0.0.1:1", "secret"):
            pass
    with pytest.raises(Unreachable):
        await readiness("http://127.0.0.1:1")


@pytest.mark.parametrize("said", ["no json", "[1]", '"text"'])
async def test_what_is_no_event_ends_the_conversation(server: Server, said: str) -> None:
    async def babble(socket: web.WebSocketResponse) -> None:
        await socket.send_str(said)
        await socket.receive()

    server.talk = babble
    async with connect(server.url, "secret") as pipeline:
        with pytest.raises(ConnectionLost):
            await all_of(pipeline)


async def test_a_socket_that_dies_is_a_loss(server: Server) -> None:
    async def die(socket: web.WebSocketResponse) -> None:
        await socket.send_str('{"type": "session.created"}')
        assert server.requests[0].transport is not None
        server.requests[0].transport.abort()

    server.talk = die
    async with connect(server.url, "secret") as pipeline:
        with pytest.raises(ConnectionLost):
            await all_of(pipeline)
        with pytest.raises(ConnectionLost):
            await pipeline.send({"type": "input_audio_buffer.commit"})


async def test_a_server_that_closes_with_an_error_is_a_loss(server: Server) -> None:
    async def close(socket: web.WebSocketResponse) -> None:
        await socket.close(code=1009)

    server.talk = close
    async with connect(server.url, "secret") as pipeline:
        with pytest.raises(ConnectionLost, match="1009"):
            await all_of(pipeline)


async def test_leaving_closes_the_socket(server: Server) -> None:
    ends: list[WSMsgType] = []

    async def listen(socket: web.WebSocketResponse) -> None:
        ends.append((await socket.receive()).type)

    server.talk = listen
    async with connect(server.url, "secret"):
        pass
    assert ends == [WSMsgType.CLOSE]


@pytest.mark.parametrize(
    ("status", "body", "state"),
    [
        (200, '{"ready": true, "free_sessions": 3}', Readiness(True, 3)),
        (200, '{"ready": true, "free_sessions": 0}', Readiness(True, 0)),
        (503, '{"ready": false, "free_sessions": 0}', Readiness(False, 0)),
    ],
)
async def test_it_is_asked_whether_it_is_ready(status: int, body: str, state: Readiness) -> None:
    async def ready(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body)

    app = web.Application()
    app.add_routes([web.get("/ready", ready)])
    async with TestServer(app) as running:
        assert await readiness(str(running.make_url(""))) == state
