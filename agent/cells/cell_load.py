"""What the worker of a cell tells LiveKit's dispatch: how full it is, and that full it is no choice while another has
a place. Somebody must tell a caller that all are full: then every worker may be chosen again, and apologises."""

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from agent.cells.away_cells import AwayCells
from agent.cells.places import answering, taking_calls, together
from pipeline.realtime.client import Readiness

LOOK_S = 0.5
# Below the target load of the LiveKit server for agents, 0.7: above it not even the only worker is given a job.
MOST_LOAD = 0.69
NO_CHOICE = 1.0
AWAY = Readiness(False, 0)
OPENS_S = 5.0  # within which who was taken has a session
MOST_OPENING = 64  # who are remembered for that


class CellLoad:
    """Knows the places of its own cell, and of that of the others which has most.

    Args:
        pipeline: The URL of its own cell's pipeline.
        others: Those of other cells; its own may be among them. Empty: it is the only one, and never looks.
        max_jobs: Places of a cell that has not told yet, and of the only one.
    """

    def __init__(self, pipeline: str, others: Sequence[str], max_jobs: int) -> None:
        self._pipeline = pipeline
        self._others = tuple(url for url in others if url != pipeline)
        self._max_jobs = max_jobs
        self._own = self._elsewhere = AWAY
        self._away = AwayCells()
        self._taking = 0
        self._taken_at = deque[float](maxlen=MOST_OPENING)
        self._clock: Callable[[], float] = float  # of the loop that looks: LiveKit asks for the load from a thread

    async def run(self) -> None:
        """Look until cancelled."""
        while self._others:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Ask all cells how many places they have."""
        self._clock = asyncio.get_running_loop().time
        own, others = await asyncio.gather(answering((self._pipeline,)), answering(self._others))
        able = [state for state in taking_calls(others).values() if state.ready]
        self._own, self._elsewhere = together(own), max(able, key=lambda state: state.free_sessions, default=AWAY)
        ready = {url for url, state in others.items() if state.ready}
        self._away.feed(ready, self._clock())

    @property
    def lost(self) -> bool:
        """Whether another cell was there and has gone away of late."""
        return bool(self._away)

    @contextmanager
    def taking(self) -> Generator[None]:
        """While a job is accepted and is not among those that run, it counts as one."""
        self._taking += 1
        try:
            yield
        finally:
            self._taking -= 1
            self._taken_at.append(asyncio.get_running_loop().time())

    def load(self, jobs: int, *, draining: bool = False) -> float:
        """What the LiveKit server is told while so many jobs run here."""
        if draining or self.sends_on(jobs):
            return NO_CHOICE
        return MOST_LOAD * min(1.0, self._open(jobs) / self._places)

    def sends_on(self, jobs: int, *, waits: bool = False) -> bool:
        """Whether a caller who would find no place here would find one in another cell.

        Jobs whose callers may come back count, but hold no place in the pipeline: of two cells that are full of such
        jobs the one with more places left takes the call, and with as many either does.

        Args:
            waits: They wait with an agent of another cell already, who calls one that has a place.
        """
        if not self._full(jobs):
            return False
        left = max(0, self._own.free_sessions - self._opening) if self._own.ready else 0
        return left == 0 if waits else self._elsewhere.free_sessions > left

    async def look_if_full(self, jobs: int) -> None:
        """Before a caller is sent on or told that all is full: another cell may have come, or begun to drain, since."""
        if self._full(jobs):
            await self.look()

    def _full(self, jobs: int) -> bool:
        """Whether it is one of several, and has no place for one more."""
        return bool(self._others) and (not self._own.ready or self._open(jobs) >= self._places)

    @property
    def _opening(self) -> int:
        """Callers who were taken just now, for whom the pipeline may not have opened a session yet."""
        now = self._clock()
        return self._taking + sum(now - moment < OPENS_S for moment in self._taken_at)

    @property
    def _places(self) -> int:
        return self._own.max_sessions or self._max_jobs

    def _open(self, jobs: int) -> int:
        """Calls that have a place here or are about to: some are not in a room of ours."""
        return max(jobs + self._taking, self._own.max_sessions - self._own.free_sessions)
