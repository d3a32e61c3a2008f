"""Collects what an ended call leaves, soon after its end."""

import asyncio
import gc

WAITS_S = 10.0  # behind the end of a call; for all calls that end meanwhile once


class GarbageCollection:
    """Looks for rings of objects when it is told that there are some.

    The objects of a call refer to each other, down to the pictures of its camera: megabytes, of which Python does not
    know when it counts how much is new. By itself it looked for such rings once in hundreds of calls. What was loaded
    at the start is frozen, so that it takes milliseconds.
    """

    def __init__(self) -> None:
        self._due: asyncio.TimerHandle | None = None

    def soon(self) -> None:
        """Collect once, after a while."""
        if not self._due:
            self._due = asyncio.get_running_loop().call_later(WAITS_S, self._collect)

    def _collect(self) -> None:
        self._due = None
        gc.collect()
