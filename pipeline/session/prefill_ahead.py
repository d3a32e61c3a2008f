"""Prefills the prompt of the next question while nobody waits for it."""

import asyncio

from pipeline.aio.tasks import BackgroundTasks
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import prefill
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.turn_request import TurnRequest


class PrefillAhead:
    """One prompt at a time: a newer one takes the place of the one before it."""

    def __init__(self, stages: PipelineStages, tasks: BackgroundTasks, turns: TurnCounter) -> None:
        self._stages, self._tasks, self._turns = stages, tasks, turns
        self._prefilling: asyncio.Task[None] | None = None

    def start(self, request: TurnRequest) -> None:
        """Prefill in the background what is known of the next request."""
        if self._prefilling:
            self._prefilling.cancel()
        turn = self._turns.next()
        self._prefilling = self._tasks.start(f"{turn}:prefill", prefill, turn, request.unfinished(), self._stages)
