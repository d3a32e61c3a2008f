"""Prunes a conversation: what pruning leaves is prefilled in the background, and the plan holds once that is done."""

import asyncio
from typing import Protocol

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation_memory import ConversationMemory
from pipeline.context.window import WindowLimits, cut, is_due, is_overdue
from pipeline.types.history import History, PrunePlan

BUSY, LEAST = 1 / 2, 1 / 6  # of what pruning leaves: where prefilling is slow, and where it was not done in time
MOST_ROUNDS = 4  # of prefilling what came meanwhile: where each takes as long as the one before, it never ends


class Prefill(Protocol):
    """Prefills the prompt of a conversation, so that a question about it finds it in the cache."""

    @property
    def is_quick(self) -> bool:
        """Others leave it enough of the engine."""
        ...

    async def prefill(self, history: History, *, pruned: bool) -> None: ...


class ContextPruner:
    """Plans what is pruned of a conversation, and prunes it once what is left is prefilled.

    What is left is prefilled anew, which takes more of a model than all that was seen since the last time. Where many
    share it, and prefilling is slow, half as much video is left, and so the window has longer to grow. Where even that
    is not done in time, the newest few seconds are left at once: what has to be prefilled then is short, and begins
    alike from then on.
    """

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
        elif is_overdue(conversation.history, self._limits):
            if self._task:
                self._task.cancel()
            conversation.forget(cut(conversation.history, self._limits.keeping(LEAST)))
        elif (self._task is None or self._task.done()) and is_due(conversation.history, self._limits):
            self._task = self._tasks.start(f"{self._name}:prune", self._plan)

    async def _plan(self) -> None:
        """Prefill what the plan leaves, and then, each time sooner done, what has been seen meanwhile: a question that
        comes when the plan holds reads no more than it would have."""
        history, deleted = self._conversation.history, self._conversation.deleted
        planned = cut(history, self._limits if self._prefill.is_quick else self._limits.keeping(BUSY))
        for _ in range(MOST_ROUNDS):
            await self._prefill.prefill(history.cut(planned), pruned=True)
            before, history = history, self._conversation.history
            if len(history.video_turns) <= len(before.video_turns) + 1:
                break
        self._planned, self._deleted = planned, deleted
