"""Starts what waits for processes of its own in a thread, and can be given up."""

import asyncio
import multiprocessing
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import TypeVar

T = TypeVar("T")

LOOK_S = 0.5  # how often it is looked for processes that have begun
GRACE_S = 2.0  # for a process that was asked to end; vLLM's engines heed that only when they have loaded


async def started(start: Callable[[], T], kill: Callable[[int], None]) -> T:
    """What `start` returns, which runs in a thread. Cancelling ends the processes that it waits for, and so the thread.

    Args:
        start: Fails when a process that it waits for has ended.
        kill: Ends the process of that id, and its own, at once.
    """
    before = set(multiprocessing.active_children())
    starting = asyncio.get_running_loop().run_in_executor(None, start)
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        request: dict[BaseProcess, float] = {}  # to end, and when
        while not starting.done():
            for child in set(multiprocessing.active_children()) - before:
                now = asyncio.get_running_loop().time()
                if child not in request:
                    request[child] = now
                    child.terminate()
                elif now - request[child] >= GRACE_S and child.pid:
                    kill(child.pid)
            await asyncio.wait([starting], timeout=LOOK_S)
        starting.exception()  # is of no interest
        raise
