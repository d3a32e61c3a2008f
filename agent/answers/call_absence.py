"""This module lets a call rest while nobody is there, and goes on with it."""

import asyncio

from livekit.agents import AgentSession

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.answers.answer_cuts import AnswerCuts
from agent.livekit.model import AuraRealtimeModel

HANG_UP_S = 0.5  # in which what was heard of the last answer is told, and a page that reloads is back


class CallAbsence:
    """The person of one call is there, or is not."""

    def __init__(self, session: AgentSession[None], model: AuraRealtimeModel, cuts: AnswerCuts) -> None:
        self._session, self._model, self._cuts = session, model, cuts
        self._tasks = OwnedTasks()
        self._absence: asyncio.Task[None] | None = None

    @log_exceptions
    def pick_up(self) -> None:
        """Go on with the conversation: somebody is there."""
        if self._absence:
            self._absence.cancel()
        if self._model.live:
            self._model.live.pick_up()

    @log_exceptions
    def hang_up(self) -> None:
        """Stop speaking, and let others have the place in the pipeline: nobody is there."""
        self._cuts.by("left")
        self._absence = self._tasks.start(self._hang_up(), "call:absence")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _hang_up(self) -> None:
        self._session.interrupt(force=True)
        await asyncio.sleep(HANG_UP_S)
        if self._model.live:
            await self._model.live.hang_up()
