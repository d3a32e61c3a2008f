"""When another cell goes away, those of its agents that are dead are replaced, and nobody else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agent.rooms.cell_failover import AGAIN_S, CellFailover
from agent.rooms.failover import LOOK_S, RoomJob

pytestmark = pytest.mark.anyio

HALL, KITCHEN = RoomJob("hall", "agent-1"), RoomJob("kitchen", "agent-2")


class Others:
    """The other cells, and the agents that were lost with one."""

    def __init__(self) -> None:
        self.lost = False
        self.dead: list[RoomJob] = []
        self.asked = 0
        self.taken: list[tuple[float, RoomJob]] = []
        self.broken: RoomJob | None = None

    async def lost_agents(self) -> list[RoomJob]:
        self.asked += 1
        await asyncio.sleep(0.1)
        return self.dead

    async def take_over(self, lost: RoomJob) -> bool:
        if lost == self.broken:
            raise OSError("the server is away")
        self.taken.append((asyncio.get_running_loop().time(), lost))
        self.dead = [each for each in self.dead if each != lost]
        return True


@asynccontextmanager
async def watched() -> AsyncIterator[Others]:
    others = Others()
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(CellFailover(others, others).run())
        await asyncio.sleep(10)
        yield others
        watching.cancel()


async def test_while_all_cells_are_there_nobody_is_asked_whether_they_live() -> None:
    async with watched() as others:
        await asyncio.sleep(100)
        assert others.asked == 0


async def test_the_agents_of_a_cell_that_has_gone_are_replaced_at_once_and_once() -> None:
    async with watched() as others:
        began = asyncio.get_running_loop().time()
        others.lost, others.dead = True, [HALL, KITCHEN]
        await asyncio.sleep(20)
        assert [lost for _, lost in others.taken] == [HALL, KITCHEN]
        assert max(moment for moment, _ in others.taken) - began <= LOOK_S + 0.2
        assert others.asked > 5, "an agent may die later than its cell"


async def test_one_that_cannot_be_replaced_keeps_nobody_else_waiting_and_is_tried_again() -> None:
    async with watched() as others:
        others.lost, others.dead, others.broken = True, [HALL, KITCHEN], HALL
        await asyncio.sleep(1)
        assert [lost for _, lost in others.taken] == [KITCHEN]
        others.broken = None
        await asyncio.sleep(AGAIN_S + 1)
        assert [lost for _, lost in others.taken] == [KITCHEN, HALL]
