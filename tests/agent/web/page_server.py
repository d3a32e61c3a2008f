"""The web server before a pipeline that says what a test wants."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agent.settings.agent import LiveKitSettings, WebSettings
from agent.web.server import application

SECRET = "0123456789abcdef0123456789abcdef"
LIVEKIT = LiveKitSettings("ws://127.0.0.1:7880", "key", SECRET, "aura")
PATIENCE_S = 0.5
UNREACHABLE = "http://127.0.0.1:1"

Client = TestClient[web.Request, web.Application]


class PipelineState:
    """What the pipeline answers when it is asked whether it is ready, and what it is."""

    def __init__(self) -> None:
        self.status, self.body = 200, '{"ready": true, "free_sessions": 2}'
        self.about = '{"model": "aura-scripted", "ready": true, "sees": false}'

    async def answer(self, _: web.Request) -> web.Response:
        return web.Response(status=self.status, text=self.body)

    async def answer_about(self, _: web.Request) -> web.Response:
        return web.Response(text=self.about)


@asynccontextmanager
async def page_server(
    state: PipelineState, static: Path | None, livekit: LiveKitSettings = LIVEKIT, **others: Any
) -> AsyncIterator[Client]:
    """A client of the web server, which serves that folder; `others` are further settings."""
    pipeline = web.Application()
    pipeline.add_routes([web.get("/ready", state.answer), web.get("/about", state.answer_about)])
    async with TestServer(pipeline) as server:
        settings = WebSettings(str(server.make_url("")).rstrip("/"), livekit, PATIENCE_S, **others)
        async with TestClient(TestServer(application(settings, static))) as client:
            yield client
