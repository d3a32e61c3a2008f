"""Two cells of two places each at one LiveKit server: who gets the next call, and what becomes of calls at an end."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from agent.persona.greetings import APOLOGIES, GREETINGS
from agent.settings.agent import LiveKitSettings, WebSettings
from agent.web.server import application
from infra.bench.person.grant import post_for_grant, request_grant
from infra.bench.person.person import READY_S, Person, joined
from infra.free_ports import LOOPBACK
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import choose_ports
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.own_livekit import KEY as LIVEKIT_KEY
from tests.e2e.own_livekit import SECRET, OwnAgent, OwnLiveKit, own_agent, own_livekit, own_redis
from tests.e2e.stack import POLL_S, ROOT
from tests.e2e.writer import PERSONA, Writer, writing
from tests.served import KEY, Served, served

pytestmark = pytest.mark.anyio

NAME = "cells"
DRAIN_S = 120
PATIENCE_S = 0.5
TOLD_S = 5.0


@dataclass(frozen=True, slots=True)
class RunningCell:
    """A pipeline and its worker; `pipeline_life` ends the pipeline alone."""

    pipeline: Served
    agent: OwnAgent
    pipeline_life: AsyncExitStack


@asynccontextmanager
async def two_cells(livekits: Sequence[OwnLiveKit], folder: Path) -> AsyncGenerator[tuple[RunningCell, RunningCell]]:
    """One at each server, or both at the only one."""
    async with AsyncExitStack() as agents, AsyncExitStack() as one, AsyncExitStack() as two:
        lives = (one, two)
        pipelines = [await life.enter_async_context(served(max_sessions=2)) for life in lives]
        told = {
            "AURA_CELLS": ",".join(pipeline.url for pipeline in pipelines),
            "AURA_AGENT_DRAIN_S": str(DRAIN_S),
            "LIVEKIT_AGENT_NAME": NAME,
        }
        cells = []
        for number, (life, pipeline) in enumerate(zip(lives, pipelines, strict=True)):
            where = {"AURA_PIPELINE_URL": pipeline.url, "AURA_PIPELINE_KEY": KEY}
            agent = await agents.enter_async_context(
                own_agent(livekits[number % len(livekits)], where, folder / str(number), **told)
            )
            cells.append(RunningCell(pipeline, agent, life))
        yield cells[0], cells[1]


async def test_cells_fill_evenly_and_one_that_ends_cuts_no_call(
    environ: Mapping[str, str], tmp_path: Path, a_room: Callable[[], str]
) -> None:
    async with (
        own_livekit(Path(environ["AURA_HOME"]), tmp_path) as livekit,
        two_cells((livekit,), tmp_path) as (first, second),
        AsyncExitStack() as calls,
    ):
        callers: list[Person] = []

        async def call(name: str, life: AsyncExitStack = calls) -> Person:
            grant = livekit.calling(a_room(), name.lower(), NAME)
            return await life.enter_async_context(joined(name, grant))

        async def places() -> tuple[int, int]:
            return first.pipeline.pipeline.free_sessions, second.pipeline.pipeline.free_sessions

        for name in ("Ann", "Ben", "Cleo", "Dan"):
            callers.append(await call(name))
            await callers[-1].greeted()
        assert await places() == (0, 0), "the last two find the places that are left, wherever they are"

        async with joined("Eve", livekit.calling(a_room(), "eve", NAME)) as eve:
            await eve.diary.until(lambda: "places are taken" in "".join(eve.told("aura.error")), READY_S, "an apology")

        page = await calls.enter_async_context(page_of(livekit, first, second))
        first.agent.told()  # it is to end: as before an update
        await one_leaves(first, callers)
        assert await places() == (1, 0) and first.agent.process.returncode is None
        status, answer, _ = await post_for_grant(page, a_room(), "fay")
        assert (status, answer["error"]["code"]) == (503, "full"), "what a cell has left while it drains is nobody's"
        await one_leaves(second, callers)
        callers.append(await calls.enter_async_context(joined("Gus", await request_grant(page, a_room(), "gus"))))
        await callers[-1].greeted()
        assert await places() == (1, 0)

        told = [len(caller.told("aura.error")) for caller in callers]
        await second.pipeline_life.aclose()
        async with asyncio.timeout(4 * TOLD_S):  # 5 s are promised; this machine may be busy
            while sum(cut(callers, told)) < 2:
                await asyncio.sleep(POLL_S)
        assert sum(cut(callers, told)) == 2, "those of the other cell go on"
        assert first.pipeline.pipeline.free_sessions == 1 and first.agent.process.returncode is None

        await calls.aclose()
        async with asyncio.timeout(READY_S):
            assert await first.agent.process.wait() == 0, "its last call has ended"


async def test_who_waits_at_a_full_cell_goes_to_another_one_that_has_a_place_sooner(
    environ: Mapping[str, str], tmp_path: Path, a_room: Callable[[], str]
) -> None:
    async with (
        own_livekit(Path(environ["AURA_HOME"]), tmp_path) as livekit,
        two_cells((livekit,), tmp_path) as cells,
        AsyncExitStack() as life,
    ):
        callers: list[tuple[Writer, AsyncExitStack]] = []
        for name in ("Ann", "Ben", "Cleo", "Dan"):
            own = await life.enter_async_context(AsyncExitStack())
            grant = livekit.calling(a_room(), name.lower(), NAME, PERSONA)
            callers.append((await own.enter_async_context(writing(name, grant)), own))
            await callers[-1][0].greeted()

        eve = await life.enter_async_context(writing("Eve", livekit.calling(a_room(), "eve", NAME, PERSONA)))
        await eve.diary.until(lambda: eve.troubles, READY_S, "an apology")
        (other,) = (cell for cell in cells if f"room={eve.room.name}" not in cell.agent.log.read_text())
        log = other.agent.log.read_text()
        leaves = next(own for caller, own in callers if f"room={caller.room.name}" in log)
        await leaves.aclose()
        await eve.greeted()
        assert eve.read == [GREETINGS["en"]] and "places are taken" in eve.troubles[0]
        first, _ = eve.agents
        await eve.left_alone(TOLD_S)
        assert eve.gone == [first], "the one that waited with her"
        await eve.ask()
        assert [cell.pipeline.pipeline.free_sessions for cell in cells] == [0, 0]
        await asyncio.sleep(TOLD_S)
        assert len(eve.agents) == 2 and eve.gone == [first], "nobody else is called"


async def test_who_was_in_a_cell_that_is_killed_goes_on_in_another_with_what_was_said(
    environ: Mapping[str, str], tmp_path: Path, a_room: Callable[[], str]
) -> None:
    async with (
        own_livekit(Path(environ["AURA_HOME"]), tmp_path) as livekit,
        a_pipeline(2, tmp_path) as (doomed, pipeline),
        served(max_sessions=4) as safe,
        AsyncExitStack() as life,
    ):

        async def worker(url: str, folder: str) -> OwnAgent:
            where = {"AURA_PIPELINE_URL": url, "AURA_PIPELINE_KEY": KEY}
            told = {"AURA_CELLS": f"{doomed},{safe.url}", "LIVEKIT_AGENT_NAME": NAME}
            return await life.enter_async_context(own_agent(livekit, where, tmp_path / folder, **told))

        async def call(name: str) -> Writer:
            grant = livekit.calling(a_room(), name.lower(), NAME, PERSONA)
            caller = await life.enter_async_context(writing(name, grant))
            await caller.greeted()
            return caller

        first = await worker(doomed, "doomed")
        ann, ben = await call("Ann"), await call("Ben")
        await worker(safe.url, "safe")
        cleo = await call("Cleo")  # the first cell is full
        assert safe.pipeline.free_sessions == 3
        await ann.ask("My cat is called Miko.")

        os.killpg(first.process.pid, signal.SIGKILL)  # the worker, and the processes of its calls
        pipeline.kill()
        for caller in (ann, ben):  # 5 s are promised; this machine may be busy
            await caller.left_alone(4 * TOLD_S)
        for caller in (ann, ben):
            await caller.reads(APOLOGIES["en"])
            assert caller.agents[0] in caller.gone and len(caller.agents) == 2
        await ann.ask("What is she called?")
        (question,) = [chat for chat in safe.line.questions if chat.messages[-1].text == "What is she called?"]
        assert "My cat is called Miko." in [message.text for message in question.messages]
        await cleo.ask("Are you still there?")
        assert len(cleo.agents) == 1 and not cleo.gone and not cleo.troubles


async def test_two_livekit_servers_that_share_a_redis_are_one(
    environ: Mapping[str, str], tmp_path: Path, a_room: Callable[[], str]
) -> None:
    home = Path(environ["AURA_HOME"])
    async with (
        own_redis(home, tmp_path) as redis,
        own_livekit(home, tmp_path, redis) as one,
        own_livekit(home, tmp_path, redis) as other,
        two_cells((one, other), tmp_path) as (first, second),
        AsyncExitStack() as calls,
    ):
        for number, name in enumerate(("Ann", "Ben", "Cleo", "Dan")):  # by either server, to a cell at either
            grant = (one, other)[number % 2].calling(a_room(), name.lower(), NAME)
            caller = await calls.enter_async_context(joined(name, grant))
            await caller.greeted()
        assert first.pipeline.pipeline.free_sessions == second.pipeline.pipeline.free_sessions == 0
        assert await one.rooms() == await other.rooms() and len(await one.rooms()) == 4


@asynccontextmanager
async def a_pipeline(places: int, folder: Path) -> AsyncGenerator[tuple[str, Process]]:
    """A scripted one in a process of its own: where it is, and that process."""
    port, log = choose_ports({}).pipeline, folder / "pipeline.log"
    server = [sys.executable, "-m", "tests.infra.ray.scripted_server", "--max-sessions", str(places)]
    async with child(
        [*server, "--host", LOOPBACK, "--port", str(port)], cwd=ROOT, env=os.environ, log=log, stop_s=STOP_S
    ) as process:
        await healthy(f"http://{LOOPBACK}:{port}/ready", log)
        yield f"http://{LOOPBACK}:{port}", process


@asynccontextmanager
async def page_of(livekit: OwnLiveKit, *cells: RunningCell) -> AsyncGenerator[str]:
    """The page's server for these cells: its URL."""
    urls = tuple(cell.pipeline.url for cell in cells)
    named = LiveKitSettings(livekit.settings.url, LIVEKIT_KEY, SECRET, NAME)
    async with TestServer(application(WebSettings(urls[0], named, PATIENCE_S, cells=urls), None)) as server:
        yield str(server.make_url("/"))


async def one_leaves(cell: RunningCell, callers: list[Person]) -> None:
    """Somebody hangs up; returns when their place is free."""
    log = cell.agent.log.read_text(errors="replace")
    leaver = next(caller for caller in callers if f"room={caller.room.name}" in log)
    callers.remove(leaver)
    await leaver.room.disconnect()
    async with asyncio.timeout(READY_S):
        while not cell.pipeline.pipeline.free_sessions:
            await asyncio.sleep(POLL_S)


def cut(callers: Sequence[Person], told: Sequence[int]) -> list[bool]:
    """Who has been told of trouble since they had been told so often."""
    return [len(caller.told("aura.error")) > before for caller, before in zip(callers, told, strict=True)]
