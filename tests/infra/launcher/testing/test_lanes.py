"""Checks that run side by side: each to its end, told in order, and gone when they are interrupted."""

import asyncio
import io
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from infra.launcher.base.progress import Display
from infra.launcher.testing.checks import Check, Lane, Place
from infra.launcher.testing.lanes import NICENESS, LaneRunner

pytestmark = pytest.mark.anyio

PATIENCE_S = 120.0  # of a lane that is to have only the time that no other process wants, beside a whole run
PATIENT = """
import signal, subprocess, sys, time
forever = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
child = subprocess.Popen(forever, start_new_session=True)
try:
    open("begun", "w").write(f"{child.pid}")
    time.sleep(600)
except KeyboardInterrupt:
    open("cleaned", "w").close()
"""


def check(folder: Path, name: str, script: str) -> Check:
    return Check(name, ("sh", "-c", script), folder, {})


def lane(place: Place, *checks: Check) -> Lane:
    return Lane(place, checks)


@pytest.fixture
def side_by_side(display: Display, tmp_path: Path) -> LaneRunner:
    return LaneRunner(display, dict(os.environ), tmp_path / "logs")


async def until_there(path: Path) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not (path.exists() and path.read_text()):
            await asyncio.sleep(0.01)


async def test_lanes_go_on_at_the_same_time_and_a_failure_ends_nobody(
    side_by_side: LaneRunner, display: Display, tmp_path: Path
) -> None:
    waits = "until [ -e {} ]; do sleep 0.01; done"
    here = lane("shown", check(tmp_path, "bad", "exit 3"), check(tmp_path, "meets", f"touch a; {waits.format('b')}"))
    there = lane("beside", check(tmp_path, "met", f"touch b; {waits.format('a')}"))
    async with asyncio.timeout(PATIENCE_S):
        assert await side_by_side.run([here, there]) == ["bad"]
    assert set(display.seconds) == {"bad", "meets", "met"}


async def test_what_passes_beside_is_shown_when_nothing_else_is_and_what_fails_at_once(
    side_by_side: LaneRunner, display: Display, screen: io.StringIO, tmp_path: Path
) -> None:
    seen = check(tmp_path, "seen", "until [ -e over ]; do sleep 0.01; done")
    beside = lane("beside", check(tmp_path, "good", "echo all is well"), check(tmp_path, "bad one", "echo why; exit 1"))
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(side_by_side.run([lane("shown", seen), beside]))
        while "\n== bad one\nwhy\n" not in screen.getvalue():
            await asyncio.sleep(0.01)
        told = screen.getvalue()
        assert "== good passed after " in told and "== bad one failed after " in told
        assert "all is well" not in told
        (tmp_path / "over").touch()
    assert running.result() == ["bad one"]
    assert screen.getvalue().endswith("\n== good\nall is well\n\n")


@pytest.mark.parametrize(
    ("code", "again", "failed", "unsteady"),
    [(1, "exit 0", [], ["odd"]), (1, "exit 1", ["odd"], []), (2, "exit 0", ["odd"], []), (6, "exit 0", ["odd"], [])],
    ids=["passes alone", "fails alone, too", "could not be held", "skips"],
)
async def test_tests_that_failed_run_once_more_when_all_others_are_done(
    side_by_side: LaneRunner, screen: io.StringIO, tmp_path: Path,
    code: int, again: str, failed: list[str], unsteady: list[str],
) -> None:  # fmt: skip
    odd = replace(check(tmp_path, "odd", f"exit {code}"), again=("sh", "-c", f"[ -e over ] && {again}"))
    long = check(tmp_path, "long", "sleep 0.2; touch over")
    async with asyncio.timeout(PATIENCE_S):
        assert await side_by_side.run([lane("beside", odd), lane("shown", long)]) == failed
    assert side_by_side.unsteady == unsteady
    assert ("== odd: what failed, alone" in screen.getvalue()) == (code == 1)


@pytest.mark.parametrize("place", NICENESS)
async def test_what_stands_behind_leaves_others_the_time_that_they_want(
    side_by_side: LaneRunner, screen: io.StringIO, tmp_path: Path, place: Place
) -> None:
    nice = NICENESS[place]
    session = f"[ ! -s /proc/self/autogroup ] || grep -q 'nice {nice}$' /proc/self/autogroup"
    script = f"until [ $(nice) = {nice} ] && {{ {session}; }}; do sleep 0.01; done; cat /proc/self/autogroup; nice"
    async with asyncio.timeout(PATIENCE_S):
        assert await side_by_side.run([lane(place, check(tmp_path, "computes", script))]) == []
    *_, session, niceness = screen.getvalue().split("\n== computes\n")[1].split("\n")[:-2]
    assert niceness == f"{nice}"
    assert session == "" or session.endswith(f" nice {nice}")


async def test_who_is_interrupted_cleans_up_and_leaves_nothing(side_by_side: LaneRunner, tmp_path: Path) -> None:
    checks = [Check(name, (sys.executable, "-S", "-c", PATIENT), tmp_path / name, {}) for name in ("one", "two")]
    for each in checks:
        each.cwd.mkdir()
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(side_by_side.run([lane("shown", checks[0]), lane("behind", checks[1])]))
        for each in checks:
            await until_there(each.cwd / "begun")
        running.cancel()
    for each in checks:
        assert (each.cwd / "cleaned").exists()
        async with asyncio.timeout(PATIENCE_S):
            while Path(f"/proc/{(each.cwd / 'begun').read_text()}/cmdline").exists():
                await asyncio.sleep(0.01)
