"""What the worker tells the LiveKit server of itself, and how it ends."""

import asyncio
import os
import signal
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from agent.cells.cell_load import CellLoad
from agent.rooms.failover_metadata import FailoverMetadata
from agent.status.worker_figures import WorkerFigures
from agent.worker import TOLD_S, Health, WorkerServer, agent_server, drain_calls
from pipeline.realtime.client import Readiness
from tests.agent.test_jobs import SETTINGS


class Calling:
    """A worker whose calls last so many seconds; as LiveKit's, it waits for them only once."""

    def __init__(self, seconds: float) -> None:
        self.active_jobs = [object()]
        self.draining = False
        self._seconds = seconds

    async def drain(self, timeout: None) -> None:
        self.draining = True
        await asyncio.sleep(self._seconds)


class FullCell(CellLoad):
    """It has no place; another cell has so many."""

    def __init__(self, elsewhere: int) -> None:
        super().__init__("http://ours:1", ("http://ours:1", "http://theirs:1"), 1)
        self._left_elsewhere = elsewhere

    async def look(self) -> None:
        self._own, self._elsewhere = Readiness(True, 0, 2), Readiness(True, self._left_elsewhere, 2)


class Request:
    """A job that the LiveKit server offers; remembers how it was answered."""

    def __init__(self, metadata: str) -> None:
        self.job, self.room = SimpleNamespace(metadata=metadata), SimpleNamespace(name="a room")
        self.answers: list[str] = []

    async def accept(self, **_: Any) -> None:
        self.answers.append("accepted")

    async def reject(self, *, terminate: bool = True) -> None:
        self.answers.append("ended" if terminate else "offered to the next")


@pytest.mark.anyio
@pytest.mark.parametrize(("elsewhere", "answer"), [(1, "offered to the next"), (0, "accepted")])
async def test_a_full_cell_has_the_next_one_asked_and_when_all_are_full_it_tells_the_caller(
    elsewhere: int, answer: str
) -> None:
    request = Request(FailoverMetadata("token").metadata())
    await asked(FullCell(elsewhere), request)
    assert request.answers == [answer]


@pytest.mark.anyio
async def test_when_all_are_full_who_waits_with_another_agent_already_stays_there() -> None:
    request = Request(FailoverMetadata("token", if_place=True).metadata())
    await asked(FullCell(0), request)
    assert request.answers == ["offered to the next"]


async def asked(cell: CellLoad, request: Request) -> None:
    server = agent_server(SETTINGS, cell=cell)
    server._proc_pool = SimpleNamespace(processes=[])  # type: ignore[assignment]
    assert server._request_fnc
    await server._request_fnc(request)  # type: ignore[arg-type]


@pytest.mark.anyio
@pytest.mark.parametrize(("calls_s", "drain_s", "took_s"), [(90, 600, 90), (700, 600, 600), (90, 0, 0)])
async def test_calls_go_on_until_they_end_or_their_time_is_over(calls_s: float, drain_s: int, took_s: float) -> None:
    server: Any = Calling(calls_s)
    await drain_calls(server, drain_s)
    assert asyncio.get_running_loop().time() == took_s
    assert server.draining == (drain_s > 0)


@pytest.mark.anyio
async def test_a_second_signal_ends_the_wait() -> None:
    server: Any = Calling(700)
    asyncio.get_running_loop().call_later(30, os.kill, os.getpid(), signal.SIGTERM)
    await drain_calls(server, 600)
    assert 30 <= asyncio.get_running_loop().time() < 600


class Serving(WorkerServer):
    """A worker with one call, that needs no LiveKit server."""

    def __init__(self) -> None:
        super().__init__(ws_url="ws://nowhere", api_key="key", api_secret="secret")

    @property
    def active_jobs(self) -> Any:
        return [SimpleNamespace(job=SimpleNamespace(id="AJ_1"))]

    def away(self, away: bool) -> None:
        self._connecting = away


@pytest.mark.anyio
async def test_a_worker_is_healthy_while_its_livekit_server_is_there() -> None:
    server, request = Serving(), Any
    health = Health(server, "127.0.0.1", 0)
    told = []
    for registered, away in ((False, False), (True, False), (True, True), (True, False)):
        if registered:
            server.emit("worker_registered", "AW_1", None)
        server.away(away)
        answer: Any = await health._answer(request)  # type: ignore[arg-type]
        told.append((answer.status, msgspec.json.decode(answer.body)["registered"]))
    assert told == [(503, False), (200, True), (503, False), (200, True)]


@pytest.mark.anyio
async def test_prometheus_is_told_of_its_calls_and_whether_the_livekit_server_knows_it() -> None:
    server, figures = Serving(), WorkerFigures()
    figures.replaced.inc()
    health = Health(server, "127.0.0.1", 0, figures)
    server.emit("worker_registered", "AW_1", None)
    server.away(False)
    answer: Any = await health._metrics(Any)  # type: ignore[arg-type]
    lines = answer.body.decode().splitlines()
    assert {"aura_agent_calls 1.0", "aura_agent_registered 1.0", "aura_agent_replaced_total 1.0"} < set(lines)
    assert "aura_agent_draining 0.0" in lines


@pytest.mark.anyio
async def test_a_job_that_the_server_has_ended_hears_from_its_room_why_before_it_ends() -> None:
    server, clock = Serving(), asyncio.get_running_loop().time
    began, ended = clock(), list[tuple[str, float]]()
    server._proc_pool = SimpleNamespace(get_by_job_id=lambda job: ended.append((job, clock() - began)))  # type: ignore[assignment]
    await server._handle_termination(SimpleNamespace(job_id="AJ_1"))  # type: ignore[arg-type]
    assert (ended, server.terminated) == ([("AJ_1", TOLD_S)], {"AJ_1"})
