"""Two cells of two places behind Ray Serve, on a cluster of two nodes: who gets in, who is told, what a death costs."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.bench.base.process_tree import family
from infra.bench.person.grant import Grant, request_grant
from infra.free_ports import free_ports
from pipeline.realtime.client import ConnectionLost, PipelineFull, RealtimeClient, Unreachable, connect, readiness
from tests.e2e import scripted_profile
from tests.e2e.stack import POLL_S, ROOT, Stack, get, launch, stack_in
from tests.e2e.writer import PERSONA, writing
from tests.served import KEY

pytestmark = pytest.mark.anyio

START_S = 180.0
TOLD_S = 5.0
SERVER = "tests.infra.ray.scripted_server"


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells behind Serve.

    Attributes:
        deployed: `python -m infra.ray`, which takes them away when it ends.
        address: Of the Ray cluster.
        cluster: Its process.
        environ: In which all that was started.
    """

    url: str
    deployed: Process
    address: str
    cluster: Process
    environ: Mapping[str, str]


@pytest.fixture(scope="module")
async def cells(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Cells]:
    python = Path(environ["AURA_HOME"]) / "ray" / "bin" / "python"
    if not python.exists():
        pytest.skip("Ray Serve is not here: infra/test brings it")
    told = {**environ, "PYTHONPATH": str(ROOT), "AURA_PIPELINE_KEY": KEY, "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    (port,) = free_ports(1)
    async with process(told, str(python), "-m", "tests.infra.ray.two_nodes") as cluster:
        address = await line(cluster)
        where = ("--address", address, "--port", str(port), "--cells", "2", "--places", "2")
        server = (sys.executable, "-m", SERVER, "--max-sessions", "2")
        async with process(told, str(python), "-m", "infra.ray", *where, "--", *server) as deployed:
            assert await line(deployed) == f"2 cells are ready: http://127.0.0.1:{port}"
            yield Cells(f"http://127.0.0.1:{port}", deployed, address, cluster, told)
            if deployed.returncode is None:
                deployed.terminate()
                await deployed.wait()
        assert cluster.stdin
        cluster.stdin.close()
        await cluster.wait()


@asynccontextmanager
async def process(environ: Mapping[str, str], *argv: str) -> AsyncGenerator[Process]:
    started = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, env=dict(environ), stdin=PIPE, stdout=PIPE)
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
            await started.wait()


async def line(started: Process) -> str:
    assert started.stdout
    async with asyncio.timeout(START_S):
        return (await started.stdout.readline()).decode().strip()


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody in a call, by the id that they send along at each attempt."""

    name: str
    client: RealtimeClient
    session: Mapping[str, Any]


async def call(cells: Cells, name: str, life: AsyncExitStack, resume: str | None = None) -> Caller:
    client = await life.enter_async_context(connect(cells.url, KEY, affinity=name, resume=resume))
    async with asyncio.timeout(TOLD_S * 4):
        return Caller(name, client, (await anext(aiter(client)))["session"])


async def patient_call(cells: Cells, name: str, life: AsyncExitStack) -> Caller:
    """The same from somebody who tries again: a place of an earlier test may just be being given back."""
    async with asyncio.timeout(TOLD_S * 4):
        while True:
            try:
                return await call(cells, name, life)
            except PipelineFull:
                await asyncio.sleep(0.5)


async def test_who_lost_the_line_finds_their_cell(cells: Cells) -> None:
    for name in ("ann", "ben", "cleo", "dan"):  # each alone: the cell to which their id belongs has a place
        async with AsyncExitStack() as life:
            first = await patient_call(cells, name, life)
        async with AsyncExitStack() as life:
            again = await call(cells, name, life, resume=first.session["aura"]["resume_token"])
            assert again.session["id"] == first.session["id"]


async def test_cells_fill_up_and_the_fifth_caller_is_told(cells: Cells) -> None:
    async with AsyncExitStack() as life:
        for name in ("ann", "ben", "cleo", "dan"):
            await patient_call(cells, name, life)
        with pytest.raises(PipelineFull):
            async with asyncio.timeout(TOLD_S * 4):
                await call(cells, "eve", life)
        assert (await readiness(cells.url, timeout_s=TOLD_S * 4)).free_sessions == 0, "and so is who asks"


async def test_the_death_of_a_cell_ends_its_calls_only_and_they_are_told(cells: Cells) -> None:
    async with AsyncExitStack() as life:
        callers = [await patient_call(cells, name, life) for name in ("ann", "ben", "cleo", "dan")]
        async with asyncio.TaskGroup() as tasks:
            ends = [tasks.create_task(end(caller), name=caller.name) for caller in callers]
            os.kill(parent(servers()[0]), signal.SIGKILL)
            async with asyncio.timeout(TOLD_S * 4):  # 5 s are promised; this machine may be busy
                while sum(ended.done() for ended in ends) < 2:
                    await asyncio.sleep(0.05)
            await asyncio.sleep(1)
            alive = [caller for caller, ended in zip(callers, ends, strict=True) if not ended.done()]
            for ended in ends:
                ended.cancel()
        assert len(alive) == 2, "those of the other cell go on"
        for caller in alive:
            await caller.client.send({"type": "input_audio_buffer.clear"})
    async with asyncio.timeout(START_S):
        while len(servers()) < 2:
            await asyncio.sleep(0.2)


async def test_cells_that_are_taken_away_wait_for_their_calls(cells: Cells) -> None:
    async with AsyncExitStack() as life:
        caller = await patient_call(cells, "ann", life)
        cells.deployed.terminate()
        await asyncio.sleep(5)
        assert cells.deployed.returncode is None
        await caller.client.send({"type": "session.update", "session": {"type": "realtime", "instructions": "Go on."}})
        async with asyncio.timeout(TOLD_S * 4):
            assert (await anext(aiter(caller.client)))["type"] == "session.updated"
    async with asyncio.timeout(START_S):
        await cells.deployed.wait()
    assert servers() == []
    with pytest.raises((Unreachable, PipelineFull, ConnectionLost)):
        await readiness(cells.url)


async def test_rooms_are_served_by_the_cluster_that_infra_up_is_told_of(
    cells: Cells, tmp_path: Path, a_room: Callable[[], str]
) -> None:
    await gone(cells)
    environ = {**cells.environ, **scripted_profile.packaged(tmp_path / "site"), "AURA_AGENT_DRAIN_S": "60"}
    environ |= {"AURA_AGENT_IDLE_PROCESSES": "0"}
    del environ["AURA_PIPELINE_KEY"]
    asked = ("--ray", cells.address, "--profile", scripted_profile.NAME)
    async with stack_in(tmp_path / "run", environ, *asked, within_s=2 * START_S) as stack:
        served = servers("aura-pipeline", str(tmp_path))
        assert len(served) == 2, "a cell on each node"
        async with writing("Ann", await written(stack, a_room())) as ann, asyncio.TaskGroup() as tasks:
            await ann.greeted()
            for proxy in proxies(cells.cluster.pid):
                os.kill(proxy, signal.SIGKILL)  # all sockets drop; Ray starts others
            await ann.back_on_line()
            log = (stack.layout.logs / "agent.log").read_text().splitlines()
            resumed = ["resumed=True" in line for line in log if "line up" in line]
            assert resumed == [False, True], "she goes on where she was"
            down = tasks.create_task(launch("infra/down", "--run-dir", str(tmp_path / "run"), environ=environ))
            while not (await get(stack.running.parts["agent"].health))["draining"]:
                await asyncio.sleep(POLL_S)
            assert await ann.ask() == "It is Paris." and not down.done(), "she is waited for"
            assert servers("aura-pipeline", str(tmp_path)) == served and len(ann.agents) == 1
            tasks.create_task(ann.room.disconnect())
    assert servers("aura-pipeline", str(tmp_path)) == []


async def written(stack: Stack, room: str) -> Grant:
    """For somebody who writes, and is written to."""
    return await request_grant(stack.running.url, room, "ann", PERSONA)


async def gone(cells: Cells) -> None:
    """Those of the other tests have been taken away."""
    if cells.deployed.returncode is None:
        cells.deployed.terminate()
        await cells.deployed.wait()


async def end(caller: Caller) -> None:
    """Returns when the call is over."""
    try:
        async for _ in caller.client:
            pass
    except ConnectionLost:
        return


def servers(program: str = SERVER, told: str = str(ROOT)) -> list[int]:
    """The processes of the cells' servers, by a word of their command lines and one of their environments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = [word.decode(errors="replace") for word in (folder / "cmdline").read_bytes().split(b"\0")]
            environ = (folder / "environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        names = {Path(word).name for word in words}
        if program in names and "--port" in words and "--" not in words and told in environ:
            found.append(int(folder.name))
    return sorted(found)


def proxies(cluster: int) -> list[int]:
    """The processes of a cluster in which Serve listens."""
    found = [process.pid for process in family(cluster) if "ProxyActor" in process.title]
    assert found
    return found


def parent(pid: int) -> int:
    """The process that has started it: of a server its replica."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
