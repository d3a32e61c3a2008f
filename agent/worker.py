"""The worker: registered with the LiveKit server, it gives each room a process."""

import asyncio
import logging
import signal
from contextlib import suppress
from functools import partial
from typing import Any

from aiohttp import web
from livekit.agents import AgentServer, JobProcess

from agent.aio.signals import asked_to_stop
from agent.job import take_call
from agent.job_processes import JobProcesses, end_on_own_sigterm
from agent.phone.call_admission import CallAdmission
from agent.preloading import MODULES
from agent.rooms import rooms
from agent.rooms.failover import Failover, RoomJob
from agent.rooms.job_store import JobStore
from agent.settings.agent import LiveKitSettings, WorkerSettings

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
MOST_LOAD = 0.69  # below the LiveKit server's target load for agents, 0.7


async def work(settings: WorkerSettings, *, devmode: bool) -> signal.Signals | None:
    """Serve rooms until SIGINT or SIGTERM, which is returned; before, let the calls go on for a while, and end them.
    A second signal ends at once."""
    server = agent_server(settings)
    started = asyncio.Event()
    jobs_on_disk = JobStore(settings.jobs_on_disk)
    server.on("worker_registered", lambda *_: started.set())  # not sooner: who is called then finds no worker
    async with asyncio.TaskGroup() as tasks, Health(server, settings.port):
        running = tasks.create_task(server.run(devmode=devmode), name="worker:run")
        watching = tasks.create_task(_watch(server, settings.livekit, jobs_on_disk, started), name="worker:recall")
        asked = tasks.create_task(asked_to_stop(), name="worker:signal")
        await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        watching.cancel()
        if not running.done():
            await _end_calls(server, settings)
        await server.aclose()
        jobs_on_disk.forget()
    return None if asked.cancelled() else asked.result()


def agent_server(settings: WorkerSettings) -> AgentServer:
    """Dispatched by name only; balanced by the calls that it has; dials nothing but the LiveKit server."""

    def load(server: AgentServer) -> float:
        return reported_load(len(server.active_jobs), settings.max_jobs)

    server = _Server(
        ws_url=settings.livekit.url,
        api_key=settings.livekit.api_key,
        api_secret=settings.livekit.api_secret,
        host=HOST,
        port=0,
        http_proxy=None,
        load_fnc=load,
        load_threshold=float("inf"),  # a job that is refused cannot apologise; the token endpoint asks for a place
        num_idle_processes=settings.idle_processes,
        drain_timeout=settings.drain_s,
        setup_fnc=warm_up,
        preload_modules=list(MODULES),
        job_memory_warn_mb=2_000,
    )
    admission = CallAdmission(settings.livekit, settings.phone, settings.persona)
    take = partial(take_call, settings)
    server.rtc_session(take, agent_name=settings.livekit.agent_name, on_request=admission.answer)
    return server


def reported_load(jobs: int, max_jobs: int) -> float:
    """What the LiveKit server is told, which gives no job, not even its only worker, to one at its target load."""
    return MOST_LOAD * min(1.0, jobs / max_jobs)


def warm_up(process: JobProcess) -> None:
    """In a new process, before a room is there: load what a call needs."""
    from livekit.agents.inference import VAD

    end_on_own_sigterm()
    VAD()


class _Server(AgentServer):
    """Starts each job in one of our processes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._mp_ctx = JobProcesses()


class Health:
    """GET /health on 127.0.0.1: 200 once the worker is registered, 503 before."""

    def __init__(self, server: AgentServer, port: int) -> None:
        self._server, self._port = server, port
        self._registered = False
        server.on("worker_registered", self._on_registered)
        app = web.Application()
        app.add_routes([web.get("/", self._answer), web.get("/health", self._answer)])
        self._runner = web.AppRunner(app, access_log=None)

    async def __aenter__(self) -> None:
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, self._port).start()

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def _on_registered(self, *_: object) -> None:
        self._registered = True

    async def _answer(self, _: web.Request) -> web.Response:
        body = {"registered": self._registered, "jobs": len(self._server.active_jobs) if self._registered else 0}
        return web.json_response(body, status=200 if self._registered else 503)


class _Jobs:
    """Lists the jobs of this worker, for `Failover`."""

    def __init__(self, server: AgentServer, livekit: LiveKitSettings) -> None:
        self._server, self._livekit = server, livekit

    def running_jobs(self) -> list[RoomJob]:
        return [
            RoomJob(running.job.room.name, running.accept_arguments.identity) for running in self._server.active_jobs
        ]

    async def watcher(self, lost: RoomJob) -> bool:
        return await rooms.watcher(self._livekit, lost.room, lost.agent)


async def _watch(server: AgentServer, livekit: LiveKitSettings, jobs_on_disk: JobStore, started: asyncio.Event) -> None:
    await started.wait()
    await Failover(_Jobs(server, livekit), jobs_on_disk).run()


async def _end_calls(server: AgentServer, settings: WorkerSettings) -> None:
    """End the rooms of all calls, so that their people know: an agent that only left would keep them waiting."""
    logger.info("ending", extra={"calls": len(server.active_jobs), "within_s": settings.drain_s})
    if settings.drain_s:
        with suppress(TimeoutError):
            await server.drain(timeout=settings.drain_s)
    names = {running.job.room.name for running in server.active_jobs}
    await asyncio.gather(*(rooms.end(settings.livekit, name) for name in names))
