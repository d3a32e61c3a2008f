"""Child processes leave nothing behind, and failures are told with the end of the log."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from infra.launcher.base.errors import CommandFailed, Offline
from infra.launcher.base.processes import child, run
from infra.launcher.supervise.leftovers import MARK, carries, kill_leftovers

pytestmark = pytest.mark.anyio

GRANDCHILD = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"]).pid, flush=True)
time.sleep(60)
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_a_command_that_fails_is_told_with_the_end_of_its_output(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"step failed with code 3; the end of .*log:\n    why"):
        await run("step", ["sh", "-c", "echo why; exit 3"], cwd=tmp_path, env={}, log=tmp_path / "log")


async def test_a_command_without_network_says_so(tmp_path: Path) -> None:
    said = "echo 'dial tcp: lookup example.org: no such host'; exit 1"
    with pytest.raises(Offline, match="connect and try again"):
        await run("step", ["sh", "-c", said], cwd=tmp_path, env=dict(os.environ), log=tmp_path / "log")


async def test_a_child_that_ignores_sigterm_is_killed_with_its_own_children(tmp_path: Path) -> None:
    log = tmp_path / "log"
    argv = [sys.executable, "-S", "-c", GRANDCHILD]
    async with asyncio.timeout(10):
        async with child(argv, cwd=tmp_path, env=dict(os.environ), log=log, stop_s=0.1) as process:
            while not log.read_text().endswith("\n"):
                await asyncio.sleep(0.01)
        grandchild = int(log.read_text())
        while alive(process.pid) or alive(grandchild):
            await asyncio.sleep(0.01)


async def test_leftovers_are_found_by_their_mark_alone(tmp_path: Path) -> None:
    argv = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
    log = tmp_path / "log"
    async with (
        child(argv, cwd=tmp_path, env={MARK: "one"}, log=log, stop_s=1) as ours,
        child(argv, cwd=tmp_path, env={MARK: "other"}, log=log, stop_s=1) as theirs,
    ):
        async with asyncio.timeout(2):
            while not carries(ours.pid, "one"):  # until then it is still a copy of this process
                await asyncio.sleep(0.01)
        assert kill_leftovers("one") == [ours.pid]
        assert await ours.wait() == -9
        assert theirs.returncode is None
