"""Computations on threads: which of those that wait is the next, and what becomes of them when it closes."""

import asyncio
import threading
from functools import partial
from typing import Any

import pytest

from pipeline.engines.blocking_worker import BlockingWorker


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Threads need the real clock."""
    return "asyncio", {}


class Busy:
    """A worker whose only thread is at work until `free`."""

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self.worker = BlockingWorker("test")
        self.order: list[str] = []
        self._tasks = tasks
        self._go, self._began = threading.Event(), threading.Event()
        tasks.create_task(self.worker.run_unheld(self._wait))

    async def begun(self) -> None:
        await asyncio.to_thread(self._began.wait)

    async def wants(self, name: str, priority: int = 0) -> asyncio.Task[None]:
        task = self._tasks.create_task(self.worker.run_unheld(partial(self.order.append, name), priority))
        await asyncio.sleep(0)
        return task

    def free(self) -> None:
        self._go.set()

    def _wait(self) -> None:
        self._began.set()
        self._go.wait()


async def test_of_what_waits_the_more_urgent_comes_first_and_else_what_came_first() -> None:
    async with asyncio.TaskGroup() as tasks:
        busy = Busy(tasks)
        await busy.begun()
        for name, priority in (("partial", 1), ("partial too", 1), ("last", 0), ("last too", 0)):
            await busy.wants(name, priority)
        busy.free()
    assert busy.order == ["last", "last too", "partial", "partial too"]
    await busy.worker.aclose()


async def test_what_is_cancelled_while_it_waits_is_never_computed_and_holds_nothing_up() -> None:
    async with asyncio.TaskGroup() as tasks:
        busy = Busy(tasks)
        await busy.begun()
        dropped = await busy.wants("dropped")
        await busy.wants("kept", 1)
        dropped.cancel()
        await asyncio.sleep(0)
        busy.free()
    assert (busy.order, busy.worker.running) == (["kept"], 0)
    await busy.worker.aclose()


async def test_a_failure_reaches_whoever_asked_and_the_next_is_computed() -> None:
    worker = BlockingWorker("test")
    with pytest.raises(ZeroDivisionError):
        await worker.run_unheld(lambda: 1 // 0)
    assert await worker.run_unheld(lambda: 1 // 1) == 1
    await worker.aclose()


async def test_what_waits_when_it_closes_is_dropped_and_told_so() -> None:
    async with asyncio.TaskGroup() as tasks:
        busy = Busy(tasks)
        await busy.begun()
        waiting = await busy.wants("late")
        closing = tasks.create_task(busy.worker.aclose())
        await asyncio.sleep(0.05)
        busy.free()
        await closing
    assert waiting.cancelled() and busy.order == []
