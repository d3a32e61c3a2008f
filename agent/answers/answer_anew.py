"""This module gives an answer anew that cannot end as it began: spoken, and now to be written, or the other way."""

from livekit.agents import AgentSession, SpeechCreatedEvent
from livekit.agents.voice import SpeechHandle

from agent.answers.answer_cuts import AnswerCuts
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.responses.generation import ResponseGeneration
from agent.status.attributes import AgentStatePublisher


class AnswerAnew:
    """The answer that somebody waits for, hears or reads."""

    def __init__(
        self, session: AgentSession[None], model: AuraRealtimeModel, publisher: AgentStatePublisher, cuts: AnswerCuts
    ) -> None:
        self._session, self._model, self._publisher, self._cuts = session, model, publisher, cuts
        self._asked: list[SpeechHandle] = []  # answers that may not be over, or not even asked for
        self._owed = False
        self._begun: ResponseGeneration | None = None  # the newest that somebody asked for
        self._known = False  # something of it was heard or read
        session.on("speech_created", self._on_speech_created)

    async def cut(self) -> None:
        """Stop all that is under way. Returns when that is done."""
        signals, newest = self._publisher.signals, self._newest
        self._begun = newest if newest and newest.asked_at is not None else None
        self._known = signals.given and self._begun is not None
        self._owed = signals.owed or self._known or any(not each.done() for each in self._asked)
        if self._known:
            self._cuts.by("modality")
        await self._session.interrupt(force=True)

    def give(self) -> None:
        """Ask for it once more, as if nothing of it had been said, unless it comes with what tools return."""
        live, begun = self._model.live, self._begun
        if live is None or not self._owed or live.answers.calls.reply_due:
            return
        if begun and any(map(live.answers.calls.is_ours, begun.calls)):
            return
        if begun and self._known:
            live.answers.take_back(begun)
        self._session.generate_reply()

    @property
    def _newest(self) -> ResponseGeneration | None:
        return self._model.live.answers.newest if self._model.live else None

    def _on_speech_created(self, event: SpeechCreatedEvent) -> None:
        remark = not event.user_initiated and self._newest is not None and self._newest.offer_id
        self._asked = [each for each in self._asked if not each.done()]
        if event.source == "generate_reply" and not remark:
            self._asked.append(event.speech_handle)
