"""The tasks of one owner: they end with it, and a failure of one is logged and harms no other."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

log = logging.getLogger(__name__)

P = ParamSpec("P")
E = TypeVar("E", bound=BaseException)


class BackgroundTasks:
    """Use as `async with`; leaving it cancels what still runs, and waits until that has gone."""

    def __init__(self) -> None:
        self._group = asyncio.TaskGroup()
        self._alive: set[asyncio.Task[None]] = set()

    def start(
        self, name: str, work: Callable[P, Awaitable[object]], *args: P.args, **kwargs: P.kwargs
    ) -> asyncio.Task[None]:
        task = self._group.create_task(_logged(partial(work, *args, **kwargs), name), name=name)
        self._alive.add(task)
        task.add_done_callback(self._alive.discard)
        return task

    def stop(self, name: str, tasks: list[asyncio.Task[None]]) -> None:
        """Cancel those tasks, so that none goes another step; a task called `name` waits until they have gone."""
        for task in tasks:
            task.cancel()
        self.start(name, asyncio.wait, tasks)

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._alive:
            if not task.cancelling():  # else it would be torn from what it puts in order
                task.cancel()
        await self._group.__aexit__(None, None, None)  # what went wrong outside is not the tasks' doing


async def _logged(work: Callable[[], Awaitable[object]], name: str) -> None:
    """A failure of one task is our mistake: it is logged, and its owner lives on."""
    try:
        await work()
    except Exception:
        log.exception("task failed", extra={"task": name})


async def all_stopped(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel them, and return when they have gone and their engines are idle."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def first(failures: BaseExceptionGroup[E]) -> E:
    """The failure that came first; the others followed from it."""
    error = failures.exceptions[0]
    return first(error) if isinstance(error, BaseExceptionGroup) else error
