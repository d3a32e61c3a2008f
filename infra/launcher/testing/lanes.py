"""Runs lanes of checks at the same time, each check to its end: one lane on the screen, the others into logs."""

import asyncio
import os
import secrets
import signal
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from infra.launcher.base.progress import Display
from infra.launcher.supervise.leftovers import kill_leftovers
from infra.launcher.testing.checks import Check, Lane, Place

CLEANS_UP_S = 30.0  # in which a check that was interrupted ends what it has started
CHECK = "AURA_CHECK"  # the mark of all that a check has started, stacks of their own as well
LEAST = 19  # the niceness that leaves others all they want


class LaneRunner:
    """One run of all checks.

    Args:
        logs: Where what is not shown at once is written.
    """

    def __init__(self, display: Display, environ: Mapping[str, str], logs: Path) -> None:
        self._board, self._environ, self._logs = display, environ, logs
        self._failed: list[str] = []
        self._showing = 0
        self._unshown: list[str] = []

    async def run(self, lanes: Iterable[Lane]) -> list[str]:
        """Returns the names of the checks that failed. Cancelled, it interrupts all and waits until they have gone."""
        self._logs.mkdir(parents=True, exist_ok=True)
        async with asyncio.TaskGroup() as tasks:
            for lane in lanes:
                self._showing += lane.place == "shown"
                tasks.create_task(self._run(lane), name=f"checks:{lane.place}")
        return self._failed

    async def _run(self, lane: Lane) -> None:
        for check in lane.checks:
            if lane.place == "shown":
                self._board.say(f"\n== {check.name}")
                await self._passes(check, lane.place, None)
            else:
                await self._run_unseen(check, lane.place)
        if lane.place == "shown":
            self._showing -= 1
            while self._unshown and not self._showing:
                self._show(self._unshown.pop(0))

    async def _run_unseen(self, check: Check, place: Place) -> None:
        with self._log(check.name).open("wb") as log:
            passed = await self._passes(check, place, log)
        how = "passed" if passed else "failed"
        self._board.say(f"\n== {check.name} {how} after {self._board.seconds[check.name]:.1f} s")
        if passed and self._showing:
            self._unshown.append(check.name)
        else:
            self._show(check.name)

    async def _passes(self, check: Check, place: Place, log: BinaryIO | None) -> bool:
        begun = asyncio.get_running_loop().time()
        async with _process(check, self._environ, log) as process:
            if place == "behind":
                stand_back(process.pid)
            code = await process.wait()
        self._board.seconds[check.name] = asyncio.get_running_loop().time() - begun
        if code != 0:
            self._failed.append(check.name)
        return code == 0

    def _show(self, name: str) -> None:
        self._board.say(f"\n== {name}\n{self._log(name).read_text(errors='replace')}")

    def _log(self, name: str) -> Path:
        return self._logs / f"{name.replace(' ', '-')}.log"


def stand_back(leader: int) -> None:
    """Let a process that has just begun to lead a session, and all that it starts, run only when nobody else would.

    Linux may share out its time among sessions first; then the niceness of the session counts. See sched(7), autogroup.
    """
    with suppress(OSError):  # it has ended; or Linux does not share its time so
        os.setpriority(os.PRIO_PGRP, leader, LEAST)
        Path(f"/proc/{leader}/autogroup").write_text(f"{LEAST}")


@asynccontextmanager
async def _process(check: Check, environ: Mapping[str, str], log: BinaryIO | None) -> AsyncGenerator[Process]:
    """A check in a session of its own: on the screen, unless there is a log. Nothing of it is left at the end."""
    name = secrets.token_hex(8)
    process = await asyncio.create_subprocess_exec(
        *check.argv,
        cwd=check.cwd,
        env={**environ, **check.env, CHECK: name},
        stdin=DEVNULL if log else None,
        stdout=log,
        stderr=STDOUT if log else None,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        await _end(process)
        kill_leftovers(name, CHECK)


async def _end(process: Process) -> None:
    """Interrupt all of it, as Ctrl-C would, which reaches no other session than its terminal's; then for good."""
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGINT)
        with suppress(TimeoutError):
            async with asyncio.timeout(CLEANS_UP_S):
                await process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
