"""This module watches the other cells: when one has gone away, rooms that have lost their agents with it get others."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from agent.rooms.failover import LOOK_S, RoomJob

logger = logging.getLogger(__name__)

AGAIN_S = 2.0  # between two looks at all rooms


class OtherCells(Protocol):
    """Knows how the other cells are."""

    @property
    def lost(self) -> bool:
        """Whether one that was there has gone away of late."""
        ...


class LostAgents(Protocol):
    """Finds agents that are dead and still listed, and replaces them."""

    async def lost_agents(self) -> Sequence[RoomJob]: ...

    async def take_over(self, lost: RoomJob) -> bool:
        """Call an agent into the room of a lost one; returns whether it did: another cell may have been faster."""
        ...


class CellFailover:
    """Calls another agent for each that died with its cell. A cell whose pipeline alone is away keeps its agents."""

    def __init__(self, cells: OtherCells, agents: LostAgents) -> None:
        self._cells, self._agents = cells, agents

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            if self._cells.lost:
                await self._look()
                await asyncio.sleep(AGAIN_S)
            await asyncio.sleep(LOOK_S)

    async def _look(self) -> None:
        try:
            lost = await self._agents.lost_agents()
            await asyncio.gather(*map(self._replace, lost))
        except Exception:
            logger.exception("nobody knows which agents are lost")

    async def _replace(self, lost: RoomJob) -> None:
        try:
            if await self._agents.take_over(lost):
                logger.warning("a call of another cell is taken over", extra={"room": lost.room, "lost": lost.agent})
        except Exception:
            logger.exception("no agent could be called", extra={"room": lost.room})
