"""Wakes everybody who waits for the next change of something."""

import asyncio


class Signal:
    """Look, then `wait`, without an `await` in between: then no change is missed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def fire(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Returns at the next `fire`."""
        await self._event.wait()
