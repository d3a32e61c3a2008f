"""Measures in rooms of several stacks at once: each is a process with its own servers and a share of the cases."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.bench.turn_taking.report import Judged, read_judged
from infra.bench.turn_taking.servers import PORTS
from infra.bench.turn_taking.sounds.cases import Case
from infra.free_ports import free_ports

OVER_S, PAUSED_S = 7.4, 5.0  # that a case takes beside its own sound
STOP_S = 30.0  # in which a stack that is to end does
MODULE = "infra.bench.turn_taking"
LAST = 30  # lines of a stack that has failed


@dataclass(frozen=True, slots=True)
class Stacks:
    """What several stacks are to measure.

    Attributes:
        count: How many there are.
        sounds: A file of cases.
        folder: For what each stack leaves.
        recordings: Where each keeps its own, in a folder of its number; None: nowhere.
        module: What each runs.
    """

    count: int
    sounds: Path
    folder: Path
    recordings: Path | None = None
    module: str = MODULE

    def report(self, number: int) -> Path:
        return self.folder / f"stack-{number}" / "report.json"

    def command(self, number: int, ports: Sequence[int], cases: int) -> tuple[str, ...]:
        """What runs one of them.

        Args:
            ports: Its own.
            cases: Not fewer than there are of any class.
        """
        recordings = ("--recordings", str(self.recordings / f"stack-{number}")) if self.recordings else ()
        return (
            *(sys.executable, "-m", self.module, "room", "--sounds", str(self.sounds), "--cases", str(cases)),
            *("--share", f"{number}/{self.count}", "--ports", *map(str, ports)),
            *("--out", str(self.report(number)), *recordings),
        )


def seconds(case: Case) -> float:
    """About how long it takes in a room."""
    return case.seconds + (PAUSED_S if case.kind == "pause" else OVER_S)


def share(cases: Sequence[Case], number: int, count: int) -> list[Case]:
    """Those of one stack: calls of few languages, and about as long as the shares of the others.

    Args:
        number: Of the stack, from 0.
    """
    in_calls = sorted(cases, key=lambda case: (case.kind == "pause", case.language))
    whole, ended = sum(map(seconds, cases)), 0.0
    mine: list[Case] = []
    for case in in_calls:
        middle = ended + seconds(case) / 2
        ended += seconds(case)
        if int(middle * count / whole) == number:
            mine.append(case)
    return mine


async def run_stacks(stacks: Stacks, due: int, judged: list[Judged]) -> None:
    """Add what all have measured, in the order of the stacks, also when it is ended early; print each case meanwhile.

    Args:
        due: How many cases there are in all.
    """
    progress = _Progress(due)
    free = free_ports(PORTS * stacks.count)  # all at once, or two stacks may find the same
    reports = [stacks.report(number) for number in range(stacks.count)]
    for report in reports:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.unlink(missing_ok=True)
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(stacks.count):
                ports = free[PORTS * number : PORTS * (number + 1)]
                stack = _stack(number, stacks.command(number, ports, due), progress)
                group.create_task(stack, name=f"stack {number}")
    finally:
        judged += read_judged([report for report in reports if report.exists()])


class _Progress:
    """Prints what the stacks tell, and how far all of them are."""

    def __init__(self, due: int) -> None:
        self._due, self._done = due, 0

    def told(self, number: int, line: str) -> None:
        judged = line.startswith(("right ", "WRONG "))
        self._done += judged
        if judged or line.startswith("stuck"):
            print(f"[{number}] {self._done}/{self._due} {line}", flush=True)


async def _stack(number: int, command: Sequence[str], progress: _Progress) -> None:
    """One stack until it ends, or is ended: then it leaves what it has measured."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True
    )
    last: list[str] = []
    try:
        assert process.stdout
        async for line in process.stdout:
            last = [*last[-LAST:], line.decode(errors="replace").rstrip()]
            progress.told(number, last[-1])
        if await process.wait():
            print(f"[{number}] has failed:", *last, sep="\n", flush=True)
    finally:
        if process.returncode is None:
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """As Ctrl-C does; whoever takes too long for that is killed with all that it has started."""
    process.send_signal(signal.SIGINT)
    try:
        async with asyncio.timeout(STOP_S):
            await process.communicate()
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
