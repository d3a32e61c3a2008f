"""Which caller's prompts go to which slot of an engine with a fixed number of prefix caches."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Slots:
    """Each caller keeps their slot; a new one takes over the slot that was used longest ago.

    One prompt at a time in a slot: a second one for the same slot waits.
    """

    def __init__(self, count: int) -> None:
        self._locks = [asyncio.Lock() for _ in range(count)]
        self._owners: OrderedDict[str, int] = OrderedDict()

    @asynccontextmanager
    async def of(self, owner: str) -> AsyncGenerator[int, None]:
        """The number of the owner's slot, theirs alone meanwhile."""
        slot = self._assigned(owner)
        async with self._locks[slot]:
            yield slot

    def _assigned(self, owner: str) -> int:
        if owner in self._owners:
            self._owners.move_to_end(owner)
        elif len(self._owners) < len(self._locks):
            self._owners[owner] = len(self._owners)
        else:
            _, slot = self._owners.popitem(last=False)
            self._owners[owner] = slot
        return self._owners[owner]
