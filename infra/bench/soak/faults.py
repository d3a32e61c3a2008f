"""Faults, one after the other."""

import asyncio
from collections import Counter
from functools import partial
from itertools import cycle

from infra.bench.soak.callers import SoakTally
from infra.bench.soak.stack import SoakedStack

KINDS = {  # and the part that each of them befalls
    "engine": "pipeline",
    "job": "agent",
    "pipeline": "pipeline",
    "redis": "redis",
    "livekit": "livekit",
    "agent": "agent",
}


class Faults:
    """Has a part fail each `every_s`, in turn.

    Args:
        made: Where it counts those of each kind.
    """

    def __init__(self, stack: SoakedStack, tally: SoakTally, made: Counter[str], every_s: float) -> None:
        self._stack, self._tally, self._made, self._every_s = stack, tally, made, every_s

    async def run(self, until: float) -> None:
        """The last one is made before `until`, on the loop's clock."""
        kinds, clock = (
            cycle(kind for kind, part in KINDS.items() if part in self._stack.parts),
            asyncio.get_running_loop().time,
        )
        while clock() + self._every_s < until:
            await asyncio.sleep(self._every_s)
            await self.make(next(kinds))

    async def make(self, kind: str) -> None:
        """`engine`: answers fail for a while; `job`: a call's process is killed; else: that part is, and begun anew.

        It returns when that part serves again. Where there was nothing to be killed, nothing has failed.
        """
        before, failed = self._made[kind], partial(self._failed, kind)
        if kind == "engine":
            await self._stack.fail_engine(failed)
        elif kind == "job":
            self._stack.fail_job(failed)
        else:
            failed()
            await self._stack.parts[kind].kill_and_start()
        if self._made[kind] > before:
            self._tally.fault()

    def _failed(self, kind: str) -> None:
        self._tally.fault()
        self._made[kind] += 1
