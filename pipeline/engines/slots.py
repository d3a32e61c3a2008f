"""Which caller's prompts go to which slot of an engine with a fixed number of prefix caches."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slot:
    """
    Attributes:
        inherited: Its prefix cache is of somebody else, or of nobody.
    """

    number: int
    inherited: bool


class Slots:
    """Each caller keeps their slot; a new one takes over the idle slot that was used longest ago.

    One prompt at a time in a slot: a second one for the same slot waits.
    """

    def __init__(self, count: int) -> None:
        self._locks = [asyncio.Lock() for _ in range(count)]
        self._owners: OrderedDict[str, int] = OrderedDict()  # who was served longest ago comes first

    @asynccontextmanager
    async def of(self, owner: str) -> AsyncGenerator[Slot, None]:
        """The owner's slot, theirs alone meanwhile."""
        number, inherited = self._assigned(owner)
        async with self._locks[number]:
            yield Slot(number, inherited)

    def _assigned(self, owner: str) -> tuple[int, bool]:
        if owner in self._owners:
            self._owners.move_to_end(owner)
            return self._owners[owner], False
        free = (number for number in range(len(self._locks)) if number not in self._owners.values())
        number = next(free, None)
        if number is None:
            idle = (each for each, slot in self._owners.items() if not self._locks[slot].locked())
            number = self._owners.pop(next(idle, next(iter(self._owners))))
        self._owners[owner] = number
        return number, True
