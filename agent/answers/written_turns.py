"""This module answers what a person writes, and what they show with it."""

from typing import Protocol

from livekit.agents import AgentSession

from agent.aio.background_tasks import OwnedTasks
from agent.answers.answer_cuts import AnswerCuts
from agent.floor.floor import FloorDisturbed
from agent.floor.floor_control import FloorControl
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.send_queue import SendQueueFull
from agent.records.consent import RecordingConsent
from agent.status.latency import LatencyTracker
from agent.tools.call_tools import CallTools
from agent.turns.pipeline_stt import PipelineStt
from agent.turns.turn_events import Written
from agent.video.still import PictureRefused


class WrittenTo(Protocol):
    """Who is written to."""

    def heed(self, text: str) -> None:
        """Take it for a wish, if it is one."""
        ...


class WrittenTurns:
    """The turns of one call that are written."""

    def __init__(
        self,
        session: AgentSession[None],
        model: AuraRealtimeModel,
        reader: WrittenTo,
        tools: CallTools,
        cuts: AnswerCuts,
        *,
        stt: PipelineStt,
        floor: FloorControl,
        latency: LatencyTracker,
        consent: RecordingConsent,
    ) -> None:
        self._session, self._model, self._reader = session, model, reader
        self._tools, self._cuts = tools, cuts
        self._stt, self._floor, self._latency, self._consent = stt, floor, latency, consent
        self._tasks = OwnedTasks()

    async def write(self, text: str) -> None:
        """Answer what the person has written, which cuts what is being said. Returns when that is done."""
        if not text.strip():
            return
        self._floor.feed(FloorDisturbed())
        self._reader.heed(text)
        self._tools.heed(text)
        await self._consent.told()
        self._stt.feed(Written())
        self._cuts.by("typed")
        await self._session.interrupt(force=True)
        self._latency.asked_otherwise()
        self._tools.on_turn()
        made, before = self._tools.made, self._known(text)
        answer = self._session.generate_reply(user_input=text)
        await answer
        if answer.interrupted and self._known(text) == before:  # LiveKit forgets what it had not come to yet
            await self._tell(text)
        if self._tools.made != made:
            await self._tools.settled()
            if speech := self._session.current_speech:
                await speech

    def look(self, jpeg: bytes, text: str) -> None:
        """See a picture, and answer what was written with it; without words, the next question is about it.

        Raises:
            PictureRefused: Nobody would see it.
        """
        live = self._model.live
        if not live or not live.sees:
            raise PictureRefused("nothing here looks at pictures just now")
        try:
            live.show(jpeg, text)
        except SendQueueFull as full:
            raise PictureRefused("too much waits for the speech server") from full
        self._floor.feed(FloorDisturbed())
        if text:
            self._tasks.start(self.write(text), "call:picture")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def _known(self, text: str) -> int:
        """How often that was written in the conversation."""
        items = self._model.live.chat_ctx.messages() if self._model.live else []
        return sum(item.role == "user" and item.raw_text_content == text for item in items)

    async def _tell(self, text: str) -> None:
        """Put what was written into the conversation: whatever has interrupted its answer is answered with it."""
        if live := self._model.live:
            told = live.chat_ctx.copy()
            told.add_message(role="user", content=text)
            await live.update_chat_ctx(told)
