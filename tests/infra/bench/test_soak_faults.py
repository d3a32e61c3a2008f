"""A fault of a soak counts, and excuses, if something was there to fail; it is over when something else is there."""

import asyncio
from collections import Counter
from typing import Any, cast

import pytest

from infra.bench.base.process_tree import LiveProcess
from infra.bench.soak import stack
from infra.bench.soak.callers import SoakTally
from infra.bench.soak.embedded import WRITER
from infra.bench.soak.faults import Faults
from infra.bench.soak.part import START_S
from infra.bench.soak.stack import SoakedStack
from tests.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.anyio

FAILS_LATE_S = 8.0  # the pipeline says for so long that all is well


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}


class Machine:
    """What runs on it: a part, and a process that writes or one that holds a call, which is begun anew.

    Attributes:
        again_s: How long after the kill; None: never.
    """

    pid = 1

    def __init__(self, title: str | None, again_s: float | None = FAILS_LATE_S) -> None:
        self.again_s = again_s
        self.processes = [LiveProcess(1, 0, 0, "its part")]
        self.healthy_at: float | None = None
        self._title = title
        self._begin(2)

    def kill(self, pid: int, _: int) -> None:
        self.processes = [each for each in self.processes if each.pid != pid]
        if self.again_s is not None:
            asyncio.get_running_loop().call_later(self.again_s, self._begin, pid + 1)

    async def healthy(self) -> None:
        self.healthy_at = asyncio.get_running_loop().time()

    def _begin(self, pid: int) -> None:
        if self._title:
            self.processes.append(LiveProcess(pid, 1, pid, self._title))


async def fault(kind: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> tuple[Counter[str], str]:
    """What was counted, and what became of a turn that was asked before, and was never answered."""
    monkeypatch.setattr(stack, "family", lambda pid: list(machine.processes))
    monkeypatch.setattr("os.kill", machine.kill)
    parts = cast(Any, {"pipeline": machine, "agent": machine})
    tally, made = SoakTally(), Counter[str]()
    await Faults(SoakedStack(parts, cast(Any, None), "", {}, scripted=False), tally, made, 60.0).make(kind)
    tally.missed(asyncio.get_running_loop().time() - 1.0, "no answer")
    (missed,) = tally.counts
    return +made, missed


@pytest.mark.parametrize(("kind", "title"), [("engine", f"python -m {WRITER} "), ("job", "a job of the worker")])
async def test_what_was_killed_counts_and_excuses(kind: str, title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await fault(kind, Machine(title), monkeypatch) == (Counter({kind: 1}), "broken")


@pytest.mark.parametrize("kind", ["engine", "job"])
async def test_where_nothing_was_there_to_be_killed_nothing_is_excused(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await fault(kind, Machine(None), monkeypatch) == (Counter(), "unanswered")


async def test_it_is_not_over_before_another_process_writes_however_late_the_pipeline_notices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Machine(f"python -m {WRITER} ")
    await fault("engine", machine, monkeypatch)
    assert machine.healthy_at is not None and machine.healthy_at >= FAILS_LATE_S


async def test_that_no_other_process_writes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match=f"no other process writes {START_S:g} s after"):
        await fault("engine", Machine(f"python -m {WRITER} ", again_s=None), monkeypatch)
