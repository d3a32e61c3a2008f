"""Ringing somebody up: what becomes of a call that is given up before it is answered."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from livekit import api

from agent.phone.dial import CALLEE, dial
from agent.settings.agent import LiveKitSettings
from agent.settings.trunk import DialSettings

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Real time: a socket is opened."""
    return "asyncio", {}


@asynccontextmanager
async def never_answered(asked: list[str], rings: asyncio.Event) -> AsyncGenerator[str]:
    """A LiveKit server at which it rings and rings; lists what it is asked for."""
    there = api.ListParticipantsResponse(
        participants=[api.ParticipantInfo(identity=CALLEE, attributes={"sip.callStatus": "ringing"})]
    )

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.match_info["method"])
        if asked[-1] == "ListParticipants":
            rings.set()
        body = there.SerializeToString() if asked[-1] == "ListParticipants" else b""
        return web.Response(body=body, content_type="application/protobuf")

    app = web.Application()
    app.router.add_post("/twirp/{service}/{method}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/"))


async def test_who_gives_up_a_call_has_it_ring_no_more() -> None:
    asked, rings = list[str](), asyncio.Event()
    async with never_answered(asked, rings) as url:
        livekit = LiveKitSettings(url, "key", "a secret of no less than 32 letters", "aura")
        call = asyncio.create_task(dial(DialSettings(livekit, "sip.example", "1", "", ""), "15550100"))  # noqa: TID251
        await rings.wait()
        call.cancel()
        await asyncio.wait([call])
    assert call.cancelled()
    assert asked[:2] == ["CreateRoom", "CreateSIPParticipant"] and asked[-1] == "DeleteRoom"
