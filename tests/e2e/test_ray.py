"""Two cells of two places behind Ray Serve, on a cluster of two nodes: who gets in, who is told, what a death costs."""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline.realtime.client import ConnectionLost, PipelineFull, RealtimeClient, Unreachable, connect, readiness
from tests.e2e.stack import ROOT
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
    """

    url: str
    deployed: Process


@pytest.fixture(scope="module")
async def cells(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Cells]:
    python = Path(environ["AURA_HOME"]) / "ray" / "bin" / "python"
    if not python.exists():
        pytest.skip("Ray Serve is not here: infra/test brings it")
    told = {**environ, "PYTHONPATH": str(ROOT), "AURA_PIPELINE_KEY": KEY, "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    async with process(told, str(python), "-m", "tests.infra.ray.two_nodes") as cluster:
        address = await line(cluster)
        where = ("--address", address, "--port", str(port), "--cells", "2", "--places", "2")
        server = (sys.executable, "-m", SERVER, "--max-sessions", "2")
        async with process(told, str(python), "-m", "infra.ray", *where, "--", *server) as deployed:
            assert await line(deployed) == f"2 cells are ready: http://127.0.0.1:{port}"
            yield Cells(f"http://127.0.0.1:{port}", deployed)
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


async def end(caller: Caller) -> None:
    """Returns when the call is over."""
    try:
        async for _ in caller.client:
            pass
    except ConnectionLost:
        return


def servers() -> list[int]:
    """The processes of the cells' servers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if SERVER.encode() in words and b"--port" in words and b"infra.ray" not in words:
            found.append(int(folder.name))
    return found


def parent(pid: int) -> int:
    """The replica that has started it."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
