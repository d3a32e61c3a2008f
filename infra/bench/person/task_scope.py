"""Tasks that live as long as a context: cancelled when its body ends, and failing it when they fail."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


class TaskScope:
    """Starts tasks in a group."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = self._group.create_task(work, name=name)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


@asynccontextmanager
async def task_scope() -> AsyncGenerator[TaskScope]:
    """Owns tasks that are cancelled when the body ends.

    Raises:
        Exception: What the body or a task raised; an ExceptionGroup only if several did.
    """
    try:
        async with asyncio.TaskGroup() as group:
            scope = TaskScope(group)
            yield scope
            for task in tuple(scope.tasks):
                task.cancel()
    except BaseExceptionGroup as errors:
        if len(errors.exceptions) == 1:
            raise errors.exceptions[0] from None
        raise
