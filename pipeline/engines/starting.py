"""Starts what waits for processes of its own in a thread, and can be given up."""

import asyncio
import multiprocessing
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LOOK_S = 0.5  # how often it is looked for processes that have begun


async def started(start: Callable[[], T]) -> T:
    """What `start` returns, which runs in a thread. Cancelling ends the processes that it waits for, and so the thread.

    Args:
        start: Fails when a process that it waits for has ended.
    """
    before = set(multiprocessing.active_children())
    starting = asyncio.get_running_loop().run_in_executor(None, start)
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        while not starting.done():
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
            await asyncio.wait([starting], timeout=LOOK_S)
        starting.exception()  # is of no interest
        raise
