"""One engine under its supervisor, behind the pipeline's real HTTP server on a free loopback port, in real time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import web

from pipeline.aio.tasks import BackgroundTasks
from pipeline.realtime.server import Server
from pipeline.runtime.orchestrator import Orchestrator
from pipeline.runtime.startup import OpenedEngines
from pipeline.runtime.supervisor import OpenAgain, RestartableEngine, RestartPolicy, Supervisor
from tests.scenario import Line, Loudness
from tests.served import ABLE, KEY

IMPATIENT = RestartPolicy(first_pause_s=0.2, rest_s=0.2, probe_s=2.0, busy_s=0.5)  # a busy machine is no hang
PATIENT = RestartPolicy(first_pause_s=0.2, rest_s=0.2, probe_s=10.0, busy_s=0.5)  # for steps that may take seconds
LOOK_S = 0.05
PATIENCE_S = 60.0  # on a busy machine


@dataclass(frozen=True, slots=True)
class Supervised:
    """The engine, and a connection to the server's address."""

    engine: Supervisor
    http: aiohttp.ClientSession

    async def ready(self) -> tuple[int, dict[str, Any]]:
        """What `/ready` says, but for the places."""
        async with self.http.get("/ready") as response:
            body = await response.json()
            return response.status, {key: body[key] for key in ("ready", "away", "busy", "restarts") if key in body}

    async def until(self, status: int, within_s: float = PATIENCE_S) -> dict[str, Any]:
        """What it says as soon as it answers so."""
        async with asyncio.timeout(within_s):
            while True:
                now, body = await self.ready()
                if now == status:
                    return body
                await asyncio.sleep(LOOK_S)


@asynccontextmanager
async def supervised(
    stage: str, open_: OpenAgain, policy: RestartPolicy = IMPATIENT
) -> AsyncGenerator[Supervised, None]:
    first = await open_()
    assert isinstance(first, RestartableEngine)
    engine = Supervisor(stage, first, open_, policy)
    server = Server("aura-scripted", KEY)
    server.pipeline = Orchestrator(OpenedEngines(ABLE, {stage: engine}), Line().stages(), Loudness, 1)
    runner = web.AppRunner(server.app(), shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with (
            aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as http,
            BackgroundTasks() as tasks,
        ):
            tasks.start(f"tend {stage}", engine.tend)
            yield Supervised(engine, http)
    finally:
        await runner.cleanup()
        await engine.aclose()
