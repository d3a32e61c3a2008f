"""`infra/up` with the real parts: one stack a folder, nothing left behind, and what went wrong is named."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from infra.bench.person.person import joined
from infra.launcher.base.layout import Layout
from infra.launcher.supervise.health import http_status
from infra.launcher.supervise.leftovers import carries
from infra.launcher.supervise.lockfile import lock_owner
from infra.launcher.supervise.run_file import Running, read_run_file
from tests.e2e.stack import POLL_S, ROOT, SESSIONS, START_S, Stack, launch

pytestmark = pytest.mark.anyio

DOWN_S = 20.0  # it waits for nobody to hang up; two, where nothing else runs
PARTS = ["livekit-server", "pipeline", "agent", "web"]


async def test_a_second_up_says_that_it_runs_already(stack: Stack) -> None:
    said = await launch("infra/up", "--run-dir", str(stack.layout.run), environ=stack.environ)
    assert f"AURA runs already: {stack.running.url}" in said


async def test_a_port_in_use_is_named_with_its_holder(stack: Stack, tmp_path: Path) -> None:
    taken, holder = stack.running.url.rstrip("/").rpartition(":")[2], stack.running.parts["web"].pid
    environ = {**stack.environ, "AURA_PORT": taken}
    said = await launch("infra/up", "--run-dir", str(tmp_path), environ=environ, code=1)
    assert f"port {taken} (AURA_PORT) is held by pid {holder} (" in said
    assert not (tmp_path / "run.json").exists()


async def test_a_part_that_is_killed_is_named_and_takes_the_others_along(
    environ: Mapping[str, str], tmp_path: Path
) -> None:
    async with up(tmp_path, environ) as (process, running, name):
        assert list(running.parts) == PARTS
        os.kill(running.parts["livekit-server"].pid, signal.SIGKILL)
        output, _ = await process.communicate()
        assert process.returncode == 1
        assert "infra/up: livekit-server ended by SIGKILL; the end of " in output.decode()
        assert "starting LiveKit server" in output.decode().partition("the end of ")[2]
    await nothing_is_left(tmp_path, running, name)


async def test_ctrl_c_leaves_nothing_behind(environ: Mapping[str, str], tmp_path: Path) -> None:
    async with up(tmp_path, environ) as (process, running, name):
        assert [await http_status(part.health) for part in running.parts.values()] == [200] * 4
        os.killpg(process.pid, signal.SIGINT)
        output, _ = await process.communicate()
        assert process.returncode == 130
        assert f"AURA is ready: {running.url}" in output.decode()
        assert "Traceback" not in output.decode()
    await nothing_is_left(tmp_path, running, name)


async def test_down_ends_an_open_call_within_seconds_and_says_what_it_waits_for(
    environ: Mapping[str, str], tmp_path: Path
) -> None:
    clock = asyncio.get_running_loop().time
    async with up(tmp_path, environ) as (_, running, name):
        stack = Stack(Layout(ROOT, Path(environ["AURA_HOME"]), tmp_path), running, {}, environ)
        async with joined("Pat", await stack.grant("hall", "pat")) as pat:
            await pat.greeted()
            began = clock()
            said = await launch("infra/down", "--run-dir", str(tmp_path), environ=environ)
            assert clock() - began < DOWN_S, said
            assert f"waiting for {', '.join(reversed(PARTS))}\n" in said
            await pat.diary.until(lambda: "disconnected" in str(pat.diary), 1, "the end of the call")
    await nothing_is_left(tmp_path, running, name)


@asynccontextmanager
async def up(run: Path, environ: Mapping[str, str]) -> AsyncGenerator[tuple[Process, Running, str]]:
    """`infra/up` in the foreground of a terminal of its own; the name is that of its stack."""
    process = await asyncio.create_subprocess_exec(
        *(str(ROOT / "infra/up"), "--run-dir", str(run), "--max-sessions", SESSIONS),
        cwd=ROOT,
        env=dict(environ),
        stdout=PIPE,
        stderr=STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(START_S):
            while (running := read_run_file(run / "run.json")) is None:
                assert process.returncode is None, (await process.communicate())[0].decode()
                await asyncio.sleep(POLL_S)
        claim = lock_owner(run)
        assert claim
        yield process, running, claim.stack
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def nothing_is_left(run: Path, running: Running, name: str) -> None:
    assert not (run / "run.json").exists()
    assert lock_owner(run) is None
    assert [await http_status(part.health) for part in running.parts.values()] == [None] * 4
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    assert [pid for pid in pids if carries(pid, name)] == []
