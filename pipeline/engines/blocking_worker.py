"""Runs blocking computations on threads, without ever blocking the event loop."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class BlockingWorker:
    """A few threads for one engine's computations.

    A computation that has begun cannot be interrupted; one that has not is dropped on cancel.
    """

    def __init__(self, name: str, threads: int = 1) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._running = 0

    @property
    def running(self) -> int:
        """Computations that are on a thread now."""
        return self._running

    async def run(self, compute: Callable[[], T]) -> T:
        """Runs a short computation: who cancels it is released when the computation has ended."""
        future = self._threads.submit(self._counted, compute)
        ended = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            if not future.cancel():
                await asyncio.wait([ended])
            raise

    async def run_unheld(self, compute: Callable[[], T]) -> T:
        """Runs a long computation: who cancels it is released at once, and `running` counts it until it ends."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._counted, compute)

    async def aclose(self) -> None:
        """Drop what waits, and return when what runs has ended."""
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)

    def _counted(self, compute: Callable[[], T]) -> T:
        with self._lock:
            self._running += 1
        try:
            return compute()
        finally:
            with self._lock:
                self._running -= 1
