"""This module watches the jobs of a worker: a room that loses its agent, and not its people, gets another."""

import asyncio
import logging
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Protocol

logger = logging.getLogger(__name__)

LOOK_S = 0.5
MOST = 3  # agents called into one room within `WITHIN_S`; a call that kills every agent is given up
WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class RoomJob:
    """A job runs for a room, in which the agent has this identity, as a dispatch has asked for."""

    room: str
    agent: str
    job: str = ""
    dispatch: str = ""


class JobSource(Protocol):
    """Runs jobs."""

    def running_jobs(self) -> Iterable[RoomJob]: ...

    async def watcher(self, lost: RoomJob) -> bool:
        """Call an agent into the room of a lost one if people are there, and nobody has sent it away; returns whether
        it did."""
        ...


class JobMemory(Protocol):
    """Knows which jobs ran last, also those of a worker before."""

    def read(self) -> frozenset[RoomJob]: ...

    def write(self, jobs: Set[RoomJob]) -> None: ...


class Failover:
    """Calls another agent for a job that ends while people are in its room, unless its end was meant.

    What ran when the memory was last written, and does not run now, is lost.
    """

    def __init__(self, source: JobSource, memory: JobMemory) -> None:
        self._source, self._memory = source, memory
        self._known = memory.read()
        self._recalls: list[tuple[float, str]] = []  # when, and to which room

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            now = frozenset(self._source.running_jobs())
            for lost in self._known - now:
                await self._replace(lost)
            if now != self._known:
                self._memory.write(now)
            self._known = now
            await asyncio.sleep(LOOK_S)

    async def _replace(self, lost: RoomJob) -> None:
        now = asyncio.get_running_loop().time()
        self._recalls = [(moment, room) for moment, room in self._recalls if moment > now - WITHIN_S]
        if sum(room == lost.room for _, room in self._recalls) >= MOST:
            logger.error("agents die there again and again", extra={"room": lost.room, "times": MOST})
            return
        try:
            if await self._source.watcher(lost):
                self._recalls.append((now, lost.room))
                logger.warning("another agent is called", extra={"room": lost.room, "lost": lost.agent})
        except Exception:
            logger.exception("no agent could be called", extra={"room": lost.room})
