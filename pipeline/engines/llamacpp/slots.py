"""Which caller's prompts go to which slot of an engine with a fixed number of prefix caches."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from pipeline.types.chunks import FinishReason, TokenUsage


@dataclass(slots=True)
class Slot:
    """A slot is one of the server's sequences: the tokens in its cache, and the request that it serves.

    Attributes:
        owner: Whose prompts the cache holds. It may be somebody else's than who has the slot now.
        read: The tokens in the cache.
        usage: What the prompt that it serves has taken so far.
        finish_reason: Why the answer to it ends; None while it is written.
    """

    number: int
    owner: str | None = None
    read: list[int] = field(default_factory=list)
    usage: TokenUsage = field(default_factory=TokenUsage)
    finish_reason: FinishReason | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def took(self, computed: int, written: int = 0) -> None:
        """So many tokens of its prompt were not in its cache; so many were written."""
        self.usage = replace(self.usage, cached=self.usage.cached - computed, written=self.usage.written + written)


class SlotPool:
    """Each caller keeps their slot; a new one takes over the idle slot that was used longest ago.

    One prompt at a time in a slot: a second one for the same slot waits.
    """

    def __init__(self, count: int) -> None:
        self._free = [Slot(number) for number in reversed(range(count))]
        self._taken: OrderedDict[str, Slot] = OrderedDict()  # who was served longest ago comes first

    @property
    def at_work(self) -> int:
        return sum(slot.lock.locked() for slot in self._taken.values())

    @asynccontextmanager
    async def of(self, owner: str) -> AsyncGenerator[Slot, None]:
        """The owner's slot, theirs alone meanwhile."""
        slot = self._assigned(owner)
        async with slot.lock:
            yield slot

    def forget(self) -> None:
        """The caches are empty again."""
        for slot in (*self._free, *self._taken.values()):
            slot.owner, slot.read = None, []

    def _assigned(self, owner: str) -> Slot:
        slot = self._taken.pop(owner, None) or (self._free.pop() if self._free else self._given_up())
        self._taken[owner] = slot
        return slot

    def _given_up(self) -> Slot:
        idle = (each for each, slot in self._taken.items() if not slot.lock.locked())
        return self._taken.pop(next(idle, next(iter(self._taken))))
