"""Forgets what is cut: what a cut leaves is read in the background, and the cut holds when that has been done."""

import asyncio
from typing import Protocol

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation_memory import ConversationMemory
from pipeline.context.window import WindowLimits, cut, is_due
from pipeline.types.history import History, PrunePlan


class Prefill(Protocol):
    """Has the engine read a conversation, for when it is asked about it."""

    async def prefill(self, history: History) -> None: ...


class ContextPruner:
    """Plans what a model forgets, and carries it out."""

    def __init__(
        self,
        name: str,
        conversation: ConversationMemory,
        limits: WindowLimits,
        tasks: BackgroundTasks,
        prefill: Prefill,
    ) -> None:
        self._name = name
        self._conversation = conversation
        self._limits = limits
        self._tasks = tasks
        self._prefill = prefill
        self._task: asyncio.Task[None] | None = None
        self._planned: PrunePlan | None = None
        self._deleted = 0  # when it was planned

    @property
    def planned(self) -> PrunePlan | None:
        """What it leaves has been read. When an item is deleted it is void: its ids may be those of other items."""
        return self._planned if self._deleted == self._conversation.deleted else None

    def when_due(self) -> None:
        """A planned cut holds; if another is due, it is read. What is left is read next, whoever asks."""
        conversation = self._conversation
        if planned := self.planned:
            conversation.forget(planned)
            self._planned = None
        elif (self._task is None or self._task.done()) and is_due(conversation.history, self._limits):
            self._task = self._tasks.start(f"{self._name}:forget", self._plan)

    async def _plan(self) -> None:
        history, deleted = self._conversation.history, self._conversation.deleted
        planned = cut(history, self._limits)
        await self._prefill.prefill(history.cut(planned))
        self._planned, self._deleted = planned, deleted
