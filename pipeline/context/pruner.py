"""Prunes a conversation: what pruning leaves is prefilled in the background, and the plan holds once that is done."""

import asyncio
from typing import Protocol

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation_memory import ConversationMemory
from pipeline.context.window import WindowLimits, cut, is_due
from pipeline.types.history import History, PrunePlan


class Prefill(Protocol):
    """Prefills the prompt of a conversation, so that a question about it finds it in the cache."""

    async def prefill(self, history: History) -> None: ...


class ContextPruner:
    """Plans what is pruned of a conversation, and prunes it once what is left is prefilled."""

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
        self._deleted = 0  # items that had been deleted when it was planned

    @property
    def planned(self) -> PrunePlan | None:
        """The plan whose remainder is prefilled. A deleted item makes it void: its ids may be those of other items."""
        return self._planned if self._deleted == self._conversation.deleted else None

    def when_due(self) -> None:
        """Carry out the plan, if one is ready; else begin one if pruning is due. The next prompt shows what is left."""
        conversation = self._conversation
        if planned := self.planned:
            conversation.forget(planned)
            self._planned = None
        elif (self._task is None or self._task.done()) and is_due(conversation.history, self._limits):
            self._task = self._tasks.start(f"{self._name}:prune", self._plan)

    async def _plan(self) -> None:
        history, deleted = self._conversation.history, self._conversation.deleted
        planned = cut(history, self._limits)
        await self._prefill.prefill(history.cut(planned))
        self._planned, self._deleted = planned, deleted
