"""How a server is told to end: SIGTERM lets answers be heard to their ends; SIGINT, or a second signal, does not."""

import asyncio
import signal


class Shutdown:
    """Tells a server to end, and how gently.

    Args:
        work: Is cancelled where nothing need be waited for.

    Attributes:
        request: The first signal that came.
    """

    def __init__(self, work: asyncio.Task[object]) -> None:
        self.request: signal.Signals | None = None
        self._work = work
        self._waits = False
        self._gently = asyncio.Event()

    def listen(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.told, number)

    def told(self, number: signal.Signals) -> None:
        if self.request is None and number is signal.SIGTERM and self._waits:
            self._gently.set()
        elif not self._work.cancelling():
            self._work.cancel()
        self.request = self.request or number

    async def gently(self) -> None:
        """Returns when it shall end, and has time to. Not waited for, it is ended at once."""
        self._waits = True
        await self._gently.wait()
