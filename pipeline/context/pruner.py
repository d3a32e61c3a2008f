"""Prunes a conversation: what pruning leaves is prefilled in the background, and the plan holds once that is done."""

import asyncio
from dataclasses import dataclass, replace
from typing import Protocol

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation_memory import ConversationMemory
from pipeline.context.window import WindowLimits, cut, is_beyond, is_due
from pipeline.types.chunks import Priority
from pipeline.types.history import History, PrunePlan

BUSY, LEAST = 1 / 2, 1 / 6  # of what pruning leaves: where the model is busy, and where it was not in time
SLOW, LATE = 1 / 5, 2 / 3  # of the slack, in seconds: who takes longer is busy; a busy model gives a plan up
MOST_ROUNDS = 4  # of prefilling what came meanwhile: where each takes as long as the one before, it never ends


class Prefill(Protocol):
    """Prefills the prompt of a conversation, so that a question about it finds it in the cache."""

    @property
    def is_busy(self) -> bool:
        """Others leave it too little of the model."""
        ...

    async def prefill(self, history: History, *, priority: Priority) -> None: ...


@dataclass(frozen=True, slots=True)
class Pruning:
    """A plan whose remainder has been prefilled.

    Attributes:
        deleted: How many items had been deleted when it was planned.
        seconds: Of video in the conversation, with those that are pruned, when the last was prefilled.
        is_caught_up: What came meanwhile has been prefilled, too.
    """

    plan: PrunePlan
    deleted: int
    seconds: int
    is_caught_up: bool = False


class ContextPruner:
    """Plans what is pruned of a conversation, and prunes it once what is left is prefilled.

    What is left is prefilled anew, which takes more of a model than all that was seen since the last time. So half as
    much video is left where the model is busy, or took long the last time, and the window has longer to grow. Where
    even that was not done in time, the newest few seconds are left at once: what has to be prefilled then is short, and
    begins alike from then on.
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
        self._began = self._took_s = 0.0
        self._pruning: Pruning | None = None

    @property
    def planned(self) -> PrunePlan | None:
        """The plan whose remainder is prefilled, with all that came since."""
        return ready.plan if (ready := self._ready) and ready.is_caught_up else None

    def when_due(self) -> None:
        """Carry out the plan, if one is ready; else begin one if pruning is due. The next prompt shows what is left."""
        history = self._conversation.history
        is_running = self._task is not None and not self._task.done()
        is_late = is_running and self._is_busy and _now() - self._began >= LATE * self._limits.slack_s
        if planned := self.planned:
            self._prune(planned)
        elif is_late or is_beyond(history, self._limits):
            self._prune(self._at_once(history, is_running=is_running))
        elif not is_running and is_due(history, self._limits):
            self._began = _now()
            self._task = self._tasks.start(f"{self._name}:prune", self._plan)

    @property
    def _is_busy(self) -> bool:
        return self._prefill.is_busy or self._took_s > SLOW * self._limits.slack_s

    def _at_once(self, history: History, *, is_running: bool) -> PrunePlan:
        """A plan that leaves little to prefill, unless the model has time."""
        least = self._limits.keeping(LEAST)
        if (ready := self._ready) and len(history.video_turns) - ready.seconds <= least.keep_s:
            return ready.plan
        if is_running:
            self._took_s = max(self._took_s, _now() - self._began)
        return cut(history, least if is_running or self._is_busy else self._limits)

    @property
    def _ready(self) -> Pruning | None:
        """A deleted item makes it void: its ids may be those of other items."""
        return self._pruning if self._pruning and self._pruning.deleted == self._conversation.deleted else None

    def _prune(self, plan: PrunePlan) -> None:
        if self._task:
            self._task.cancel()
        self._conversation.forget(plan)
        self._pruning = None

    async def _plan(self) -> None:
        """Prefill what the plan leaves, and then, each time sooner done, what has been seen meanwhile: a question that
        comes when the plan holds reads no more than it would have."""
        conversation, self._pruning = self._conversation, None
        history, deleted = conversation.history, conversation.deleted
        plan = cut(history, self._limits.keeping(BUSY) if self._is_busy else self._limits)
        for number in range(MOST_ROUNDS):
            await self._prefill.prefill(history.cut(plan), priority=Priority.PRUNED)
            if conversation.deleted != deleted:
                return
            self._took_s = self._took_s if number else _now() - self._began
            self._pruning = Pruning(plan, deleted, len(history.video_turns))
            before, history = history, conversation.history
            if len(history.video_turns) <= len(before.video_turns) + 1:
                break
        self._pruning = replace(self._pruning, is_caught_up=True) if self._pruning else None


def _now() -> float:
    return asyncio.get_running_loop().time()
