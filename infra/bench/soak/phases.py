"""The phases of a soak, and what is written down meanwhile."""

import asyncio
import os
from pathlib import Path

from infra.bench.person.task_scope import task_scope
from infra.bench.soak.callers import Call, call_again_and_again
from infra.bench.soak.faults import Faults
from infra.bench.soak.leftovers import held
from infra.bench.soak.report import CHURN, FAULTS, WARM, HeldByPart, SoakFindings, keep, progress
from infra.bench.soak.stack import SoakedStack

SAMPLE_S = 60.0
SETTLE_S = 75.0  # after the last call: a session that may be resumed is kept for a minute


class Soak:
    """Runs the phases, and keeps what was found, each minute.

    Args:
        call: What a caller does, again and again.
        every_s: Between two faults.
        out: Where the figures are kept; None: nowhere.
    """

    def __init__(self, stack: SoakedStack, call: Call, found: SoakFindings, every_s: float, out: Path | None) -> None:
        self._stack, self._call, self._found, self._out = stack, call, found, out
        self._faults = Faults(stack, found.tally, found.faults, every_s)

    async def run(self, warm_s: float, churn_s: float, fault_s: float) -> None:
        await self._phase(WARM, warm_s)
        await self._phase(CHURN, churn_s)
        if fault_s:
            await self._phase(FAULTS, fault_s)

    async def _phase(self, phase: str, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        began, self._found.minutes[phase] = clock(), 0.0
        async with task_scope() as beside:
            beside.start(self._sample(phase, began), "samples")
            if phase == FAULTS:
                beside.start(self._faults.run(began + seconds), "faults")
            async with asyncio.TaskGroup() as callers:
                for number in range(self._found.callers):
                    name = f"caller-{number}"
                    calls = call_again_and_again(self._call, self._found.tally, name, number, began + seconds)
                    callers.create_task(calls, name=name)
        self._found.minutes[phase] = (clock() - began) / 60
        await asyncio.sleep(SETTLE_S)
        self._found.held[phase] = left = await held(self._stack.pids(), self._stack.metrics)
        self._tell(left)

    async def _sample(self, phase: str, began: float) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(SAMPLE_S)
            found = await held(self._stack.pids(), {})
            self._found.minutes[phase] = (clock() - began) / 60
            self._found.memory_mb.append(_memory_mb(found))
            self._found.loads.append(round(os.getloadavg()[0], 2))
            self._tell(found)

    def _tell(self, found: HeldByPart) -> None:
        print(progress(self._found, _memory_mb(found)), flush=True)
        keep(self._found, self._out)


def _memory_mb(found: HeldByPart) -> dict[str, float]:
    return {part: each.anonymous_mb for part, each in found.items()}
