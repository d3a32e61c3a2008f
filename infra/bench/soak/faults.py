"""Faults, one after the other."""

import asyncio
import os
import random
import signal
from collections import Counter
from contextlib import suppress
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

        It returns when that part serves again.
        """
        self._tally.fault()
        self._made[kind] += 1
        parts = self._stack.parts
        if kind == "engine":
            await self._stack.fail_engine()
        elif kind == "job":
            if jobs := self._stack.jobs():
                with suppress(ProcessLookupError):
                    os.kill(random.choice(jobs), signal.SIGKILL)
        else:
            await parts[kind].kill_and_start()
        self._tally.fault()
