"""Runs lanes of checks at the same time, each check to its end: one lane on the screen, the others into logs."""

import asyncio
import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from infra.launcher.base.processes import child
from infra.launcher.base.progress import Display
from infra.launcher.supervise.leftovers import kill_leftovers
from infra.launcher.testing.checks import Check, Lane, Place

TESTS_FAILED = 1  # pytest's exit code; any other tells of a run that could not be held
CLEANS_UP_S = 30.0  # in which a check that was interrupted ends what it has started
CHECK = "AURA_CHECK"  # the mark of all that a check has started, stacks of their own as well
NICENESS: Mapping[Place, int] = {"behind": 19}  # it has what the others leave
TRIES, TRY_AGAIN_S = 20, 0.1  # to have a session stand back


class LaneRunner:
    """One run of all checks.

    Args:
        logs: Where what is not shown at once is written.

    Attributes:
        unsteady: The names of the checks whose tests failed beside others, and passed alone.
    """

    def __init__(self, display: Display, environ: Mapping[str, str], logs: Path) -> None:
        self._display, self._environ, self._logs = display, environ, logs
        self.unsteady: list[str] = []
        self._failed: list[str] = []
        self._again: list[Check] = []
        self._showing = 0
        self._unshown: list[str] = []

    async def run(self, lanes: Iterable[Lane]) -> list[str]:
        """Returns the names of the checks that failed. Cancelled, it interrupts all and waits until they have gone.

        Tests that failed run once more when all else is done: real time on two cores fails who shares them with others.
        """
        self._logs.mkdir(parents=True, exist_ok=True)
        async with asyncio.TaskGroup() as tasks:
            for lane in lanes:
                self._showing += lane.place == "shown"
                tasks.create_task(self._run(lane), name=f"checks:{lane.place}")
        for check in self._again:
            self._display.say(f"\n== {check.name}: what failed, alone")
            if await self._code(replace(check, name=f"{check.name}, alone", argv=check.again), "shown", None) == 0:
                self._failed.remove(check.name)
                self.unsteady.append(check.name)
        return self._failed

    async def _run(self, lane: Lane) -> None:
        shown = lane.place == "shown"
        for check in lane.checks:
            if shown:
                self._display.say(f"\n== {check.name}")
                await self._passes(check, lane.place, None)
            else:
                await self._run_unseen(check, lane.place)
        if shown:
            self._showing -= 1
            while self._unshown and not self._showing:
                self._show(self._unshown.pop(0))

    async def _run_unseen(self, check: Check, place: Place) -> None:
        log = self._log(check.name)
        log.unlink(missing_ok=True)
        passed = await self._passes(check, place, log)
        how = "passed" if passed else "failed"
        self._display.say(f"\n== {check.name} {how} after {self._display.seconds[check.name]:.1f} s")
        if passed and self._showing:
            self._unshown.append(check.name)
        else:
            self._show(check.name)

    async def _passes(self, check: Check, place: Place, log: Path | None) -> bool:
        code = await self._code(check, place, log)
        if code != 0:
            self._failed.append(check.name)
        if code == TESTS_FAILED and check.again:
            self._again.append(check)
        return code == 0

    async def _code(self, check: Check, place: Place, log: Path | None) -> int:
        """Run it to its end, and return its exit code; nothing of it is left then, nor of what it has started."""
        clock, name = asyncio.get_running_loop().time, secrets.token_hex(8)
        began = clock()
        env = {**self._environ, **check.env, CHECK: name}
        try:
            async with child(
                check.argv, cwd=check.cwd, env=env, log=log, stop_s=CLEANS_UP_S, interrupts=True
            ) as process:
                if place in NICENESS:
                    await stand_back(process.pid, NICENESS[place])
                code = await process.wait()
        finally:
            kill_leftovers(name, CHECK)
        self._display.seconds[check.name] = clock() - began
        return code

    def _show(self, name: str) -> None:
        self._display.say(f"\n== {name}\n{self._log(name).read_text(errors='replace')}")

    def _log(self, name: str) -> Path:
        return self._logs / f"{name.replace(' ', '-')}.log"


async def stand_back(leader: int, niceness: int) -> None:
    """Let a process that has just begun to lead a session, and all that it starts, leave the processors to others.

    Linux may share out its time among sessions first; then the niceness of the session counts. See sched(7), autogroup.
    From who is not root it takes one such wish in a tenth of a second, whatever session it is for.
    """
    with suppress(OSError):  # it has ended; or it is nicer already, and nobody but root takes that back
        os.setpriority(os.PRIO_PGRP, leader, niceness)
    for _ in range(TRIES):
        try:
            Path(f"/proc/{leader}/autogroup").write_text(f"{niceness}")
        except BlockingIOError:
            await asyncio.sleep(TRY_AGAIN_S)
        except OSError:  # it has ended; or Linux does not share its time so
            return
        else:
            return
