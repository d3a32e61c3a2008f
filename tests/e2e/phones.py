"""A house full of telephones, for one test."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from infra.bench.person.task_scope import TaskScope, task_scope
from tests.e2e.handset import Handset
from tests.e2e.lines import AT_ONCE, Line, Manners

CALLER_ID = "15550100999"  # that the agent shows when it rings up
OPERATOR = "15550100900"  # who answers a transferred call


class House:
    """Its telephones are gone when the test ends."""

    def __init__(self, folder: Path, tasks: TaskScope) -> None:
        self.folder = folder
        self._tasks = tasks
        self._handsets: list[Handset] = []

    async def telephone(self, line: Line, manners: Manners = AT_ONCE) -> Handset:
        """One that can call and be called."""
        handset = Handset(self.folder / f"{len(self._handsets)}-{line.number}", line, manners)
        self._handsets.append(handset)
        await handset.install(self._tasks)
        return handset

    async def call(self, line: Line, uri: str) -> Handset:
        """Dial, and do not wait."""
        handset = await self.telephone(line)
        handset.dials(uri)
        return handset

    async def calls(self, lines: Iterable[Line], uri: str) -> list[Handset]:
        """The same from several telephones at once."""
        handsets = await asyncio.gather(*(self.telephone(line) for line in lines))
        for handset in handsets:
            handset.dials(uri)
        return list(handsets)

    def hang_up(self) -> None:
        """All calls that still go on."""
        for handset in self._handsets:
            handset.hangs_up()

    async def aclose(self) -> None:
        """
        Raises:
            AssertionError: One of them was lost before.
        """
        lost = [handset.lost for handset in self._handsets if handset.lost]
        await asyncio.gather(*(handset.aclose() for handset in self._handsets))
        assert not lost, lost[0]


@asynccontextmanager
async def telephones(folder: Path) -> AsyncGenerator[House]:
    async with task_scope() as tasks:
        house = House(folder, tasks)
        try:
            yield house
        finally:
            await house.aclose()
