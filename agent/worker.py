"""The worker: registered with the LiveKit server, it gives each room a process."""

import asyncio
import logging
import os
import signal
from functools import partial
from typing import Any

from aiohttp import web
from livekit import api
from livekit.agents import AgentServer, JobExecutorType, JobProcess, JobRequest
from livekit.protocol import agent

from agent.aio.signals import asked_to_stop
from agent.cells.cell_load import CellLoad
from agent.cells.worker_lease import WorkerLease
from agent.job import take_call
from agent.job_processes import JobProcesses, end_on_own_sigterm
from agent.phone.call_admission import CallAdmission
from agent.preloading import MODULES
from agent.records.record_keeper import RecordKeeper
from agent.rooms import rooms
from agent.rooms.cell_failover import CellFailover
from agent.rooms.failover import Failover, RoomJob
from agent.rooms.failover_metadata import failover_metadata
from agent.rooms.farewells import SILENT, Farewells, FarewellSender
from agent.rooms.job_store import JobStore
from agent.settings.agent import LiveKitSettings, WorkerSettings
from agent.status.worker_figures import WorkerFigures
from agent.telemetry.job_traces import export_spans
from agent.tools.catalogue import load_tools

logger = logging.getLogger(__name__)

HOST = "127.0.0.1"
TRIES = 1_000_000  # to reach a LiveKit server that is away, at most 10 s apart
TOLD_S = 1.0  # in which a job that the server has ended hears from its room why


async def work(settings: WorkerSettings, *, devmode: bool) -> signal.Signals | None:
    """Serve rooms until SIGINT or SIGTERM, which is returned; before, let the calls go on for a while, and end them.
    A second signal ends them at once, a third one the process.

    Raises:
        OSError: The health check cannot listen there.
        SettingsError: Tools cannot be loaded.
    """
    load_tools(settings.tools)
    farewells = Farewells()
    cell = CellLoad(settings.pipeline.url, settings.cells, settings.max_jobs)
    server = agent_server(settings, farewells.sender, cell)
    started = asyncio.Event()
    jobs_on_disk = JobStore(settings.jobs_on_disk)
    figures = WorkerFigures()
    figures.max_calls.set(settings.max_jobs)
    jobs = WorkerJobs(server, settings.livekit, farewells, figures)
    server.on("worker_registered", lambda *_: started.set())  # not sooner: who is called then finds no worker
    async with Health(server, settings.host, settings.port, figures), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(server.run(devmode=devmode), name="worker:run")
        keeping = tasks.create_task(_keep_records(settings), name="worker:records")
        watching = tasks.create_task(_watch(jobs, jobs_on_disk, started), name="worker:recall")
        looking = tasks.create_task(cell.run(), name="worker:cells")
        standing_in = tasks.create_task(_stand_in(cell, jobs, started), name="worker:other cells")
        telling = tasks.create_task(_tell_pipeline(settings, server, started), name="worker:lease")
        asked = tasks.create_task(asked_to_stop(), name="worker:signal")
        await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        telling.cancel()
        if not running.done():
            standing_in.cancel()
            await drain_calls(server, 0 if devmode else settings.drain_s)
            watching.cancel()
            await _end_calls(server, settings)
        watching.cancel()
        standing_in.cancel()
        keeping.cancel()
        looking.cancel()
        await server.aclose()
        jobs_on_disk.forget()
        farewells.close()
    return None if asked.cancelled() else asked.result()


class WorkerServer(AgentServer):
    """Starts each job in one of our processes, and knows which ones the LiveKit server has ended.

    Attributes:
        terminated: The ids of those.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._mp_ctx = JobProcesses()
        self.terminated: set[str] = set()

    @property
    def connected(self) -> bool:
        """Whether the LiveKit server is there, as far as is known."""
        return not (self._connecting or self._connection_failed)

    async def _handle_termination(self, msg: agent.JobTermination) -> None:
        if any(running.job.id == msg.job_id for running in self.active_jobs):
            self.terminated.add(msg.job_id)
            await asyncio.sleep(TOLD_S)
        await super()._handle_termination(msg)


def agent_server(
    settings: WorkerSettings, farewells: FarewellSender = SILENT, cell: CellLoad | None = None
) -> WorkerServer:
    """Dispatched by name, or into every room if it has none; balanced by the calls that its cell has; dials nothing but
    the LiveKit server and, while there is more than one cell, their pipelines."""
    cell = cell or CellLoad(settings.pipeline.url, (), settings.max_jobs)

    def load(server: AgentServer) -> float:
        return cell.load(len(server.active_jobs), draining=server.draining)

    async def answer(request: JobRequest) -> None:
        await cell.look_if_full(len(server.active_jobs))
        taken_over = failover_metadata(request.job.metadata)
        if cell.sends_on(len(server.active_jobs), waits=bool(taken_over and taken_over.if_place)):
            await request.reject(terminate=False)  # by default the LiveKit server asks no other worker
            return
        with cell.taking():
            await admission.answer(request)

    server = WorkerServer(
        ws_url=settings.livekit.url,
        api_key=settings.livekit.api_key,
        api_secret=settings.livekit.api_secret,
        host=HOST,
        port=0,
        http_proxy=None,
        max_retry=TRIES,
        load_fnc=load,
        load_threshold=float("inf"),  # a job that is refused cannot apologise; the token endpoint asks for a place
        num_idle_processes=settings.idle_processes,
        drain_timeout=settings.drain_s,
        setup_fnc=warm_up,
        preload_modules=list(MODULES),
        job_memory_warn_mb=2_000,
    )
    admission = CallAdmission(settings.livekit, settings.phone, settings.persona)
    take = partial(take_call, settings, farewells)
    server.rtc_session(take, agent_name=settings.livekit.agent_name, on_request=answer)
    return server


def warm_up(process: JobProcess) -> None:
    """In a new process, before a room is there: load what a call needs."""
    from livekit.agents.inference import VAD

    if process.executor_type is JobExecutorType.PROCESS:  # and no thread of a console
        end_on_own_sigterm()
    VAD()
    export_spans(os.environ)  # the forked process has it of its worker, whose `main` has put it there


class Health:
    """GET /health: 200 while the worker is registered, 503 before, and while the LiveKit server is away.

    GET /metrics: its figures.
    """

    def __init__(self, server: WorkerServer, host: str, port: int, figures: WorkerFigures | None = None) -> None:
        self._server, self._host, self._port = server, host, port
        self._figures = figures or WorkerFigures()
        self._registered = False
        server.on("worker_registered", self._on_registered)
        app = web.Application()
        app.add_routes(
            [web.get("/", self._answer), web.get("/health", self._answer), web.get("/metrics", self._metrics)]
        )
        self._runner = web.AppRunner(app, access_log=None)

    async def __aenter__(self) -> None:
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self._port).start()
        except OSError:
            await self._runner.cleanup()
            raise

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def _on_registered(self, *_: object) -> None:
        self._registered = True

    @property
    def _calls(self) -> int:
        return len(self._server.active_jobs) if self._registered else 0

    @property
    def _is_registered(self) -> bool:
        return self._registered and self._server.connected

    async def _answer(self, _: web.Request) -> web.Response:
        registered = self._is_registered
        body = {"registered": registered, "jobs": self._calls, "draining": self._server.draining}
        return web.json_response(body, status=200 if registered else 503)

    async def _metrics(self, _: web.Request) -> web.Response:
        figures = self._figures
        figures.calls.set(self._calls)
        figures.registered.set(self._is_registered)
        figures.draining.set(self._server.draining)
        figures.tasks.set(len(asyncio.all_tasks()))
        return web.Response(body=figures.page(), content_type="text/plain", charset="utf-8")


class WorkerJobs:
    """Lists the jobs of this worker, for `Failover`, and knows which of them were meant to end; for `CellFailover`, it
    finds those that other cells have lost."""

    def __init__(
        self,
        server: WorkerServer,
        livekit: LiveKitSettings,
        farewells: Farewells,
        figures: WorkerFigures | None = None,
    ) -> None:
        self._server, self._livekit, self._farewells = server, livekit, farewells
        self._figures = figures or WorkerFigures()

    def running_jobs(self) -> list[RoomJob]:
        return [
            RoomJob(running.job.room.name, running.accept_arguments.identity, running.job.id, running.job.dispatch_id)
            for running in self._server.active_jobs
        ]

    async def watcher(self, lost: RoomJob) -> bool:
        terminated = lost.job in self._server.terminated
        self._server.terminated.discard(lost.job)
        if self._farewells.take(lost.job):
            return False
        called = await rooms.watcher(self._livekit, lost, terminated=terminated)
        self._figures.replaced.inc(called)
        return called

    async def lost_agents(self) -> list[RoomJob]:
        """Those of other workers."""
        return await rooms.lost_agents(self._livekit, {job.agent for job in self.running_jobs()})

    async def take_over(self, lost: RoomJob) -> bool:
        """Of several cells that try it, one does: it is the one that takes the dead agent out of the room."""
        try:
            called = await rooms.watcher(self._livekit, lost, of_another=True)
        except api.TwirpError as error:
            if error.code != api.TwirpErrorCode.NOT_FOUND:
                raise
            return False
        self._figures.replaced.inc(called)
        return called


async def _watch(jobs: WorkerJobs, jobs_on_disk: JobStore, started: asyncio.Event) -> None:
    await started.wait()
    await Failover(jobs, jobs_on_disk).run()


async def _stand_in(cell: CellLoad, jobs: WorkerJobs, started: asyncio.Event) -> None:
    await started.wait()
    await CellFailover(cell, jobs).run()


async def _tell_pipeline(settings: WorkerSettings, server: WorkerServer, started: asyncio.Event) -> None:
    await started.wait()
    if settings.cells:
        await WorkerLease(settings.pipeline.url, settings.pipeline.key, lambda: server.connected).run()


async def _keep_records(settings: WorkerSettings) -> None:
    if settings.records:
        await RecordKeeper(settings.records).run()


async def drain_calls(server: AgentServer, drain_s: int) -> None:
    """Take no more calls, and return when those that there are have ended, when their time is over, or at a signal."""
    logger.info("ending", extra={"calls": len(server.active_jobs), "within_s": drain_s})
    if not drain_s:
        return
    async with asyncio.TaskGroup() as tasks:
        draining = tasks.create_task(server.drain(timeout=None), name="worker:drain")
        asked = tasks.create_task(asked_to_stop(), name="worker:signal again")
        await asyncio.wait({draining, asked}, timeout=drain_s, return_when=asyncio.FIRST_COMPLETED)
        draining.cancel()
        asked.cancel()


async def _end_calls(server: AgentServer, settings: WorkerSettings) -> None:
    """End the rooms of all calls, so that their people know: an agent that only left would keep them waiting. A room
    that others are in goes on without it."""
    left = {running.job.room.name: running.accept_arguments.identity for running in server.active_jobs}
    ends = (rooms.end(settings.livekit, room, identity, with_caller=True) for room, identity in left.items())
    await asyncio.gather(*ends)
