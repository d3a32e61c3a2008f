"""This module joins an AgentSession over the pipeline with its STT, its turn tracker and its state publisher."""

import asyncio
import logging
from typing import Any, Protocol

from livekit.agents import Agent, AgentSession, UserStateChangedEvent
from livekit.agents.types import NOT_GIVEN

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.livekit.connection import ConnectPipeline, PipelineEndpoint
from agent.livekit.media import VideoSampler
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.responses import ResponseOutcome
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona import Persona
from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.agent import PipelineSettings
from agent.status.attributes import AgentStatePublisher, AttributeSink
from agent.status.latency import LatencyTracker
from agent.turns.endpointing import Turns, turn_handling, voice_activity
from agent.turns.pipeline_stt import PipelineStt
from agent.turns.user_turn_tracker import Kind, Onset, PartialHeard, Pause, TurnCommitted, UserTurnTracker
from pipeline.realtime.client import connect

logger = logging.getLogger(__name__)

HANG_UP_S = 0.5  # in which what was heard of the last answer is told, and a page that reloads is back


class CallObserver(AttributeSink, Protocol):
    """The observer has a call: it shows what the call publishes, and is told how the line to the pipeline is."""

    def on_trouble(self, text: str) -> None:
        """Something is wrong with the line, in words for the person; empty: nothing is any more."""
        ...


class Call:
    """Joins the parts: each tells the call what happened, and the call tells the others.

    Args:
        spoken: The call has sound; without it, it is a conversation in writing.
        recalled: The call has begun with an agent that died.
    """

    def __init__(
        self,
        pipeline: PipelineSettings,
        persona: Persona,
        turns: Turns,
        observer: CallObserver,
        *,
        spoken: bool = True,
        connect: ConnectPipeline = connect,
        recalled: FailoverMetadata | None = None,
    ) -> None:
        self._persona, self._turns, self._observer = persona, turns, observer
        self._tasks = OwnedTasks()
        self._latency = LatencyTracker()
        self.publisher = AgentStatePublisher(observer)
        self._absence: asyncio.Task[None] | None = None
        self._greeting = persona.apology if recalled else persona.greeting
        wishes = PipelineSessionSettings(persona, spoken, turns.camera)
        endpoint = PipelineEndpoint(pipeline, connect, recalled.resume_token if recalled else "")
        self._model = AuraRealtimeModel(endpoint, wishes, self)
        tracker, label_s, late_label_s = (
            UserTurnTracker(round(turns.longest_turn_s * 1000)),
            turns.label_s,
            turns.late_label_s,
        )
        self._pipeline_stt = PipelineStt(
            tracker, self, label_s=label_s, late_label_s=late_label_s, language=persona.language
        )
        self.session: AgentSession[None] = AgentSession(
            llm=self._model,
            stt=self._pipeline_stt if spoken else NOT_GIVEN,
            vad=voice_activity(turns) if spoken else None,
            turn_handling=turn_handling(turns, self._pipeline_stt) if spoken else {"turn_detection": "manual"},
            video_sampler=VideoSampler(),
            aec_warmup_duration=None,
            user_away_timeout=None,
            session_close_transcript_timeout=0.0,
        )
        self.session.on("user_state_changed", self._on_user_state)
        self.session.on("close", self._on_close)

    @property
    def busy(self) -> bool:
        """Whether somebody speaks, or an answer is due, on its way or being heard."""
        return self.publisher.signals.audible or self.publisher.signals.answering or self._pipeline_stt.undecided

    async def start(self, *, greet: bool = True, **room: Any) -> None:
        """Begin; `room` is what `AgentSession.start` takes of a room."""
        await self.session.start(Agent(instructions=self._persona.instructions), record=False, **room)
        self._tasks.start(self.publisher.run(), "publisher")  # not sooner: there is nowhere to publish before
        if output := self.session.output.audio:
            output.on("playback_started", self._on_playback_started)
            output.on("playback_finished", self._on_playback_finished)
        if greet:
            self.greet()

    def greet(self) -> None:
        if self._greeting:
            self.session.say(self._greeting)

    @log_exceptions
    def repeat(self) -> None:
        """Say once more what was said last, from its beginning."""
        answer = self._model.live.newest_answer if self._model.live else None
        if answer and answer.words.strip():
            self.session.interrupt()
            self.session.say(answer.words.strip())

    async def write(self, text: str) -> None:
        """Answer what the person has written, which cuts what is being said. Returns when that is done."""
        if text.strip():
            await self.session.interrupt()
            self._latency.asked_otherwise()
            await self.session.generate_reply(user_input=text)

    async def give_up(self) -> None:
        """Stop the answer. Returns when nothing will come of it any more."""
        await self.session.interrupt(force=True)

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
        self._absence = self._tasks.start(self._hang_up(), "call:absence")

    async def _hang_up(self) -> None:
        self.session.interrupt(force=True)
        await asyncio.sleep(HANG_UP_S)
        if self._model.live:
            await self._model.live.hang_up()

    async def aclose(self) -> None:
        await self.session.aclose()
        await self._pipeline_stt.aclose()
        await self._tasks.aclose()

    # What the model tells.

    def on_partial(self, partial: PartialHeard) -> None:
        self._pipeline_stt.feed(partial)

    def on_committed(self) -> None:
        self._pipeline_stt.feed(TurnCommitted())

    def on_answers(self, busy: bool, owed: bool) -> None:
        self.publisher.observe(answering=busy, owed=owed)

    def on_outcome(self, outcome: ResponseOutcome) -> None:
        if outcome.error:
            self.publisher.failed("I could not answer that. Please try again.")
        elif outcome.decision == "silent":
            self.publisher.stayed_silent()
        if outcome.status in ("completed", "incomplete"):
            self.publisher.error("")
        logger.info("answer", extra={"response": outcome.response_id, "status": outcome.status})

    def on_connection(self, resume_token: str, sees: bool) -> None:
        self.publisher.connection(resume_token, sees)

    def on_trouble(self, text: str) -> None:
        self.publisher.error(text)
        self._observer.on_trouble(text)

    @log_exceptions
    def on_broken_answer(self) -> None:
        if self._persona.apology:
            self.session.say(self._persona.apology)

    def on_picture(self) -> None:
        self.publisher.saw_frame()

    # What `PipelineStt` decides.

    def caption(self, item_id: str, text: str) -> None:
        if self._model.live:
            self._model.live.caption(item_id, text)

    def turn(self) -> None:
        self._latency.spoke()
        self.publisher.decided("turn", "somebody spoke")

    @log_exceptions
    def interrupt(self) -> None:
        """Stop the answer at once, so that the engines stop: LiveKit would wait until the turn is over."""
        if self.publisher.signals.audible:
            self.publisher.decided("interrupted", "somebody spoke over the answer")
        elif self.publisher.signals.owed:
            self.publisher.decided("continued", "somebody went on before it was answered")
        self.session.interrupt()

    @log_exceptions
    def drop(self, kind: Kind, resume: bool) -> None:
        """Forget the sound and go on: LiveKit goes on seconds later, and clears nothing without a turn."""
        if self._model.live:
            self._model.live.clear_audio()
        self.publisher.decided("backchannel" if kind == "backchannel" else "noise", _REASONS[kind])
        if resume and (output := self.session.output.audio):
            output.resume()
            self.publisher.decided("resumed", "it was no interruption")

    @log_exceptions
    def take_turn(self) -> None:
        if self._model.live:
            self.publisher.decided("turn", "nobody else came to speak")
            self._latency.asked_otherwise()
            self._model.live.commit_audio()
            self.session.generate_reply(input_modality="audio", allow_interruptions=False)

    # What LiveKit tells.

    @log_exceptions
    def _on_user_state(self, event: UserStateChangedEvent) -> None:
        speaking = event.new_state == "speaking"
        if self._model.live:
            ago_s = self._turns.onset_s if speaking else self._turns.silence_s
            self._model.live.activity(speaking, ago_s * 1000)
        if speaking:
            signals = self.publisher.signals
            self._pipeline_stt.feed(Onset(signals.audible, signals.answering))
        else:
            self._latency.paused(self._now() - self._turns.silence_s)
            self._pipeline_stt.feed(Pause())
        self.publisher.observe(person_speaking=speaking, undecided=not speaking and self._pipeline_stt.undecided)

    @log_exceptions
    def _on_playback_started(self, _: object) -> None:
        self.publisher.observe(audible=True)
        answer = self._model.live.newest_answer if self._model.live else None
        if answer and answer.asked_at is not None:
            waited = self._latency.over(answer.asked_at, answer.sounded_at, self._now())
            self.publisher.timed(answer.response_id, *waited)

    @log_exceptions
    def _on_playback_finished(self, _: object) -> None:
        self.publisher.observe(audible=False)

    def _on_close(self, _: object) -> None:
        logger.info("call closed")

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


_REASONS: dict[Kind, str] = {
    "backchannel": "a sign of listening",
    "noise": "no words were heard",
    "speech": "it was taken back",
}
