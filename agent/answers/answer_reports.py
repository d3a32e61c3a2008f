"""This module tells people how long they have waited for an answer, and why there is none."""

import asyncio
import logging

from agent.answers.answer_cuts import AnswerCuts
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.responses.outcome import ResponseOutcome
from agent.status.attributes import AgentStatePublisher
from agent.status.latency import LatencyTracker

logger = logging.getLogger(__name__)


class AnswerReports:
    """The reports of one call. That an answer was cut is told by `cuts`."""

    def __init__(
        self, model: AuraRealtimeModel, publisher: AgentStatePublisher, cuts: AnswerCuts, latency: LatencyTracker
    ) -> None:
        self._model, self._publisher, self._cuts, self._latency = model, publisher, cuts, latency

    def heard(self) -> None:
        """Something begins to be heard: the newest answer, if somebody has asked for it."""
        answer = self._model.live.answers.newest if self._model.live else None
        if answer and answer.asked_at is not None:
            now = asyncio.get_running_loop().time()
            wait = self._latency.over(answer.asked_at, answer.sounded_at, now, answer.timings)
            self._publisher.timed(answer.response_id, wait.since_speech_ms, wait.since_create_ms, wait.stages)

    def ended(self, outcome: ResponseOutcome) -> None:
        """An answer has ended. Of a remark that failed nobody is told: nobody waits for it."""
        if outcome.error and not outcome.offer_id:
            self._publisher.failed("I could not answer that. Please try again.", outcome.reason)
        elif outcome.decision == "silent":
            waited = {} if outcome.waited_ms is None else {"waited_ms": outcome.waited_ms}
            self._publisher.stayed_silent(outcome.reason or "model", {"response_id": outcome.response_id, **waited})
        self._cuts.ended(outcome)
        if outcome.status in ("completed", "incomplete"):
            self._publisher.error("")
        logger.info("answer", extra={"response": outcome.response_id, "status": outcome.status})
