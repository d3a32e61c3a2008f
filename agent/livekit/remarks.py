"""This module has the agent speak of its own accord: it joins the floor to what LiveKit plays."""

import asyncio
import logging
from functools import partial

from livekit.agents import AgentSession, SpeechCreatedEvent
from livekit.agents.voice import SpeechHandle

from agent.aio.guard import log_exceptions
from agent.floor.floor import DropReason, FloorRules, RemarkHeard, RemarkOffer, RemarkOver
from agent.floor.floor_control import FloorControl
from agent.livekit.model import AuraRealtimeModel
from agent.status.attributes import AgentStatePublisher

logger = logging.getLogger(__name__)

LONGEST_TEXT = 200  # letters of a remark that its decision shows

REASONS: dict[DropReason, str] = {
    "offer_stale": "it was too late to say it",
    "floor_taken": "somebody else had the floor",
    "repeated": "it had been said before",
    "too_many": "enough was said unasked this minute",
    "not_wanted": "nobody wants it to speak unasked",
    "failed": "it could not be said",
}


class Remarks:
    """Remarks are what the agent says though nobody asked.

    Args:
        wanted: It may make any.
        spoken: They are heard; otherwise they are written.
    """

    def __init__(
        self,
        session: AgentSession[None],
        model: AuraRealtimeModel,
        publisher: AgentStatePublisher,
        rules: FloorRules,
        *,
        wanted: bool,
        spoken: bool,
    ) -> None:
        self._session, self._model, self._publisher, self._spoken = session, model, publisher, spoken
        self.floor = FloorControl(rules, self, wanted=wanted)
        session.on("speech_created", self._on_speech_created)

    @log_exceptions
    def on_playback_started(self) -> None:
        """Something begins to be heard, a remark perhaps."""
        if offer_id := self._newest_offer():
            self.floor.feed(RemarkHeard(offer_id))

    @log_exceptions
    def on_refused(self, offer_id: str) -> None:
        """The pipeline would not say what it had offered."""
        self.floor.feed(RemarkOver(offer_id, "offer_stale"))

    # What the floor decides.

    @log_exceptions
    def accept_offer(self, offer: RemarkOffer) -> None:
        if self._model.live:
            self._model.live.answers.accept_offer(offer.offer_id)

    @log_exceptions
    def stop_remark(self, heard: bool) -> None:
        if self._model.live and not heard:
            self._model.live.answers.unsay()
        self._session.interrupt()

    def spoke_up(self, offer: RemarkOffer) -> None:
        text = offer.text if len(offer.text) <= LONGEST_TEXT else f"{offer.text[:LONGEST_TEXT]}…"
        self._publisher.decided("spoke_up", text, reason="model", figures=_age(offer))
        logger.info("spoke up", extra={"offer": offer.offer_id})

    def drop_offer(self, offer: RemarkOffer, reason: DropReason) -> None:
        self._publisher.decided("offer_dropped", REASONS[reason], reason=reason, figures=_age(offer))
        logger.info("offer dropped", extra={"offer": offer.offer_id, "reason": reason})

    # What LiveKit tells.

    @log_exceptions
    def _on_speech_created(self, event: SpeechCreatedEvent) -> None:
        if event.user_initiated or not (offer_id := self._newest_offer()):
            return
        event.speech_handle.add_done_callback(partial(self._on_done, offer_id))
        if not self._spoken:
            self.floor.feed(RemarkHeard(offer_id))

    def _on_done(self, offer_id: str, handle: SpeechHandle) -> None:
        self.floor.feed(RemarkOver(offer_id, "floor_taken" if handle.interrupted else "failed"))

    def _newest_offer(self) -> str:
        """The offer of which the newest answer is made; empty if somebody asked for that."""
        answer = self._model.live.answers.newest if self._model.live else None
        return answer.offer_id if answer else ""


def _age(offer: RemarkOffer) -> dict[str, float]:
    """Since the offer came, in ms."""
    return {"age_ms": round((asyncio.get_running_loop().time() - offer.came_at) * 1000)}
