"""A launcher from its start to its end, and what is left of it: nothing."""

import asyncio
import io
import os
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.base.settings import LauncherSettings
from infra.launcher.cli.down import down
from infra.launcher.supervise.health import http_status
from infra.launcher.supervise.leftovers import carries
from infra.launcher.supervise.lockfile import lock_owner
from infra.launcher.supervise.run_file import Running, read_run_file

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[4]


AT_A_TERMINAL = ("env", "--default-signal=HUP")  # also if these tests themselves were started with `nohup`


@asynccontextmanager
async def launched(run: Path, by: Sequence[str] = AT_A_TERMINAL) -> AsyncGenerator[tuple[Process, Running]]:
    """A launcher with two stand-ins, all healthy.

    Args:
        by: What starts it.
    """
    argv = [*by, sys.executable, "-m", "tests.infra.launcher.supervise.stand_in_stack", str(run), "one", "two"]
    process = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, stdout=PIPE, stderr=STDOUT)
    try:
        async with asyncio.timeout(30):
            while (stack := read_run_file(run / "run.json")) is None:
                assert process.returncode is None
                await asyncio.sleep(0.02)
        yield process, stack
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def settings(run: Path) -> LauncherSettings:
    return LauncherSettings("down", Layout(ROOT, run, run), environ={}, ports={}, ci=False)


async def assert_nothing_is_left(run: Path, stack: Running, name: str) -> None:
    assert not (run / "run.json").exists()
    assert lock_owner(run) is None
    assert [await http_status(part.health) for part in stack.parts.values()] == [None, None]
    assert not [
        entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit() and carries(int(entry.name), name)
    ]


def stack_name(run: Path) -> str:
    claim = lock_owner(run)
    assert claim is not None
    return claim.stack


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_stops_all_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    async with launched(tmp_path) as (process, stack):
        name = stack_name(tmp_path)
        assert [await http_status(part.health) for part in stack.parts.values()] == [200, 200]
        process.send_signal(number)
        output, _ = await process.communicate()
        assert process.returncode == 130
        assert b"AURA is ready: http://page/" in output
    await assert_nothing_is_left(tmp_path, stack, name)


async def test_who_is_started_with_nohup_outlives_the_terminal(tmp_path: Path) -> None:
    async with launched(tmp_path, ["nohup"]) as (process, stack):
        process.send_signal(signal.SIGHUP)
        await asyncio.sleep(0.3)
        assert lock_owner(tmp_path) is not None
        assert [await http_status(part.health) for part in stack.parts.values()] == [200, 200]
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def test_down_stops_what_up_runs(tmp_path: Path, display: Display, screen: io.StringIO) -> None:
    async with launched(tmp_path) as (process, stack):
        name = stack_name(tmp_path)
        await down(settings(tmp_path), display)
        await process.wait()
    first, *_, last = screen.getvalue().splitlines()
    assert first.split(maxsplit=1) == ["stopping", "waiting for two, one"]
    assert last == "AURA is stopped"
    await assert_nothing_is_left(tmp_path, stack, name)


async def test_down_cleans_up_after_a_launcher_that_was_killed(
    tmp_path: Path, display: Display, screen: io.StringIO
) -> None:
    async with launched(tmp_path) as (process, stack):
        name = stack_name(tmp_path)
        process.kill()
        await process.wait()
        assert [await http_status(part.health) for part in stack.parts.values()] == [200, 200]
        await down(settings(tmp_path), display)
    assert screen.getvalue() == "AURA does not run; 2 leftovers stopped\n"
    await assert_nothing_is_left(tmp_path, stack, name)


async def test_down_without_up_says_so(tmp_path: Path, display: Display, screen: io.StringIO) -> None:
    await down(settings(tmp_path / "never"), display)
    await down(settings(tmp_path), display)
    assert screen.getvalue() == "AURA does not run\n" * 2


async def test_a_part_that_dies_ends_the_launcher_with_its_name(tmp_path: Path) -> None:
    async with launched(tmp_path) as (process, stack):
        name = stack_name(tmp_path)
        os.kill(stack.parts["two"].pid, signal.SIGKILL)
        output, _ = await process.communicate()
        assert process.returncode == 1
        assert b"infra/up: two ended by SIGKILL; the end of " in output
        assert b"    listening on " in output
    await assert_nothing_is_left(tmp_path, stack, name)
