"""The relay before a cell: what goes through it, and what the server answers instead of a WebSocket."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from infra.ray.relay import passed_on, relay
from pipeline.realtime.client import PipelineFull, Unauthorized, connect
from tests.served import KEY, served

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Real time: sockets are opened."""
    return "asyncio", {}


@asynccontextmanager
async def relayed(url: str) -> AsyncGenerator[str]:
    """Where a relay to the server at `url` listens."""

    async def carry(caller: WebSocket) -> None:
        async with aiohttp.ClientSession() as http:
            await relay(caller, http, url)

    app = Starlette(routes=[WebSocketRoute("/v1/realtime", carry)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(), name="uvicorn")
        while not server.started:
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True


async def test_a_session_goes_through_both_ways_and_is_gone_on_with() -> None:
    async with served() as pipeline, relayed(pipeline.url) as url:
        async with connect(url, KEY) as client:
            created = await anext(aiter(client))
            await client.send({"type": "session.update", "session": {"type": "realtime", "instructions": "Be brief."}})
            updated = await anext(aiter(client))
            assert updated["session"]["instructions"] == "Be brief."
            assert pipeline.pipeline.free_sessions == 3
        async with connect(url, KEY, resume=created["session"]["aura"]["resume_token"]) as client:
            again = await anext(aiter(client))
            assert again["session"]["id"] == created["session"]["id"]


async def test_who_hangs_up_gives_the_place_back() -> None:
    async with served() as pipeline, relayed(pipeline.url) as url:
        async with connect(url, KEY) as client:
            await anext(aiter(client))
        async with asyncio.timeout(10):
            while pipeline.pipeline.free_sessions < 4:
                await asyncio.sleep(0.01)


async def test_a_refusal_is_the_servers_own() -> None:
    async with served(max_sessions=1) as pipeline, relayed(pipeline.url) as url:
        with pytest.raises(Unauthorized):
            async with connect(url, "a wrong key"):
                pass
        async with connect(url, KEY) as client:
            await anext(aiter(client))
            with pytest.raises(PipelineFull):
                async with connect(url, KEY):
                    pass


def test_headers_of_one_connection_are_not_passed_on() -> None:
    headers = {"Authorization": "Bearer x", "Host": "a", "Sec-WebSocket-Key": "k", "Upgrade": "websocket", "X-A": "1"}
    assert passed_on(headers) == {"Authorization": "Bearer x", "X-A": "1"}
