"""Runs blocking computations on threads, without ever blocking the event loop."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Waiting:
    """Is a computation that has not begun. The smallest is the next."""

    priority: int
    number: int
    compute: Callable[[], Any] = field(compare=False)
    future: Future[Any] = field(compare=False)


class BlockingWorker:
    """A few threads for one engine's computations.

    A computation that has begun cannot be interrupted; one that has not is dropped on cancel.
    """

    def __init__(self, name: str, threads: int = 1) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._waiting: list[Waiting] = []  # a heap; the executor has as many calls of `_compute_next`
        self._numbers = count()
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

    async def run_unheld(self, compute: Callable[[], T], priority: int = 0) -> T:
        """Runs a long computation: who cancels it is released at once, and `running` counts it until it ends.

        Args:
            priority: Of the long computations that wait, one with a lower number comes first.
        """
        future: Future[T] = Future()
        with self._lock:
            heappush(self._waiting, Waiting(priority, next(self._numbers), compute, future))
        self._threads.submit(self._compute_next)
        return await asyncio.wrap_future(future)

    async def aclose(self) -> None:
        """Drop what waits, and return when what runs has ended."""
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)
        for dropped in self._waiting:
            dropped.future.cancel()

    def _compute_next(self) -> None:
        with self._lock:
            first = heappop(self._waiting)
        if not first.future.set_running_or_notify_cancel():
            return
        try:
            first.future.set_result(self._counted(first.compute))
        except BaseException as error:  # whoever asked is told
            first.future.set_exception(error)

    def _counted(self, compute: Callable[[], T]) -> T:
        with self._lock:
            self._running += 1
        try:
            return compute()
        finally:
            with self._lock:
                self._running -= 1
