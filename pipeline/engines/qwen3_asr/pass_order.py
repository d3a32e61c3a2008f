"""Puts passes over unfinished speech off while one that settles is under way, whoever speaks."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from pipeline.aio.signal import Signal

PUT_OFF_S = 0.4  # at the most: half of the time between two passes over running speech, where many speak


class PassOrder:
    """Knows how many passes that settle are under way, of all utterances. Those wait for nothing."""

    def __init__(self) -> None:
        self._settling = 0
        self._changed = Signal()

    @asynccontextmanager
    async def place(self, *, settles: bool) -> AsyncGenerator[None, None]:
        """Entered when the pass may begin: at once, if it settles what was said."""
        if not settles:
            with suppress(TimeoutError):
                async with asyncio.timeout(PUT_OFF_S):
                    await self._until_none_settles()
            yield
            return
        self._settling += 1
        try:
            yield
        finally:
            self._settling -= 1
            self._changed.fire()

    async def _until_none_settles(self) -> None:
        while self._settling:
            await self._changed.wait()
