"""Cuts what is remembered: what a cut leaves is read in the background, and holds from when that has been done."""

import asyncio
from collections.abc import Awaitable, Callable

from pipeline.conversation import Conversation
from pipeline.history import Cut, History
from pipeline.tasks import Tasks
from pipeline.window import Limits, cut, is_due


class Cutting:
    """
    Args:
        read: Has the engine read a history.

    Attributes:
        planned: What it leaves has been read.
    """

    def __init__(
        self,
        name: str,
        conversation: Conversation,
        limits: Limits,
        tasks: Tasks,
        read: Callable[[History], Awaitable[None]],
    ) -> None:
        self._name = name
        self._conversation = conversation
        self._limits = limits
        self._tasks = tasks
        self._read = read
        self._task: asyncio.Task[None] | None = None
        self.planned: Cut | None = None

    def when_due(self) -> None:
        """A planned cut holds; if another is due, it is read. What is left is read next, whoever asks."""
        conversation = self._conversation
        if self.planned:
            conversation.history, self.planned = conversation.history.cut(self.planned), None
        elif (self._task is None or self._task.done()) and is_due(conversation.history, self._limits):
            self._task = self._tasks.start(f"{self._name}:cut", self._plan)

    async def _plan(self) -> None:
        history = self._conversation.history
        planned = cut(history, self._limits)
        await self._read(history.cut(planned))
        self.planned = planned
