"""This module joins an AgentSession over the pipeline with its STT, its turn tracker and its state publisher."""

import asyncio
import logging
from dataclasses import replace
from typing import Any, Protocol

from livekit.agents import Agent, AgentSession, UserInputTranscribedEvent, UserStateChangedEvent
from livekit.agents.types import NOT_GIVEN
from livekit.agents.voice import SpeechHandle

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.answers.answer_cuts import SPEECH, AnswerCuts
from agent.character import CallPersona, FirstPersona
from agent.floor.floor import FLOOR, FloorDisturbed, FloorRules, FloorSeen, OfferCame, RemarkOffer
from agent.livekit.connection import ConnectPipeline, PipelineEndpoint
from agent.livekit.media import VideoSampler
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.remarks import Remarks
from agent.livekit.responses import ResponseOutcome
from agent.livekit.send_queue import SendQueueFull
from agent.livekit.session import TOO_LONG
from agent.livekit.session_persona import PersonaInForce
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.catalogue import PersonaCatalogue
from agent.persona.changes import Refusal
from agent.persona.persona import Persona
from agent.records.call_recording import CallRecording, RecordedSink
from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.agent import PipelineSettings
from agent.settings.tools import ToolSettings
from agent.status.attributes import AgentStatePublisher, AttributeSink, What
from agent.status.latency import LatencyTracker
from agent.tools.call_tools import CallTools, Toolkit
from agent.turns.endpointing import TURN_MODELS, TurnModels, Turns, turn_handling
from agent.turns.pipeline_stt import PipelineStt
from agent.turns.sound_record import SoundRecord
from agent.turns.user_turn_tracker import Kind, Onset, PartialHeard, Pause, TurnCommitted, UserTurnTracker, Written
from agent.turns.voice_level import NearVoice
from agent.video.sourced_frame import VideoSource
from agent.video.still import PictureRefused
from pipeline.realtime.client import connect

logger = logging.getLogger(__name__)

NO_TOOLS = Toolkit(ToolSettings(built_in=()))  # a call whose owner names none
HANG_UP_S = 0.5  # in which what was heard of the last answer is told, and a page that reloads is back


class CallObserver(AttributeSink, Protocol):
    """The observer has a call: it shows what the call publishes, and is told how the line to the pipeline is."""

    def on_trouble(self, text: str) -> None:
        """Something is wrong with the line, in words for the person; empty: nothing is any more."""
        ...

    def on_frame(self) -> None:
        """A picture of the camera or the screen was taken for a pipeline that looks at it."""
        ...


class Call:
    """Joins the parts: each tells the call what happened, and the call tells the others.

    Attributes:
        character: Who the agent is.
        near: Whose voice the microphone gives.

    Args:
        spoken: The call has sound; without it, it is a conversation in writing.
        recalled: The call has begun with an agent that died.
        floor: When the agent may speak of its own accord.
        models: Listen to the sound of the call.
        catalogue: Who else it may be.
        toolkit: What it can do.
        recording: Records it; None: nothing does.
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
        floor: FloorRules = FLOOR,
        models: TurnModels = TURN_MODELS,
        catalogue: PersonaCatalogue | None = None,
        toolkit: Toolkit | None = None,
        recording: CallRecording | None = None,
    ) -> None:
        self._instructions, self._turns, self._observer = persona.instructions, turns, observer
        self._recording, self._recalled = recording, recalled
        self._spoke_at = 0.0  # when the person's newest sound began
        self._tasks = OwnedTasks()
        self._latency, self._sounds = LatencyTracker(), SoundRecord()
        self.near = NearVoice()
        self.publisher = AgentStatePublisher(RecordedSink(observer, recording) if recording else observer)
        self._absence: asyncio.Task[None] | None = None
        self._over_sound: SpeechHandle | None = None  # the answer to a turn that was taken while its sound goes on
        may_remark = turns.camera and floor.per_minute > 0
        first = FirstPersona(persona, recalled is not None, may_remark, catalogue or PersonaCatalogue())
        wishes = PipelineSessionSettings(persona, spoken, turns.camera, first.speaks_up)
        endpoint = PipelineEndpoint(pipeline, connect, recalled.resume_token if recalled else "")
        self._model = AuraRealtimeModel(endpoint, wishes, self)
        tracker, label_s, late_label_s = (
            UserTurnTracker(round(turns.longest_turn_s * 1000)),
            turns.label_s,
            turns.late_label_s,
        )
        self._pipeline_stt = PipelineStt(
            tracker,
            self,
            go_on_s=turns.go_on_s,
            label_s=label_s,
            late_label_s=late_label_s,
            language=persona.spoken_language,
        )
        self.session: AgentSession[None] = AgentSession(
            llm=self._model,
            stt=self._pipeline_stt if spoken else NOT_GIVEN,
            vad=models.voice_activity(turns, self.near) if spoken else None,
            turn_handling=turn_handling(turns, self._pipeline_stt, self._sounds.judged, models)
            if spoken
            else {"turn_detection": "manual"},
            video_sampler=VideoSampler(),
            aec_warmup_duration=None,
            user_away_timeout=None,
            session_close_transcript_timeout=0.0,
        )
        self._remarks = Remarks(self.session, self._model, self.publisher, floor, wanted=first.speaks_up, spoken=spoken)
        self._cuts = AnswerCuts(self._model, self.publisher)
        self.character = CallPersona(
            self.session, self._model, self.publisher, self._remarks, self._cuts, first, recording
        )
        self.tools = CallTools(toolkit or NO_TOOLS, self._model, self.publisher, self.character, camera=turns.camera)
        self.session.on("user_state_changed", self._on_user_state)
        self.session.on("user_input_transcribed", self._on_transcript)
        self.session.on("close", self._on_close)

    @property
    def busy(self) -> bool:
        """Whether somebody speaks, or an answer is due, on its way or being heard."""
        signals = self.publisher.signals
        return signals.audible or signals.answering or self._pipeline_stt.undecided or self.tools.busy

    async def start(self, *, greet: bool = True, **room: Any) -> None:
        """Begin; `room` is what `AgentSession.start` takes of a room."""
        agent = Agent(instructions=self._instructions, tools=self.tools.for_agent(self.character.now))
        await self.session.start(agent, record=False, **room)
        self.tools.start(agent, self._recalled.tool if self._recalled else "")
        if self._recording:
            self._recording.begin(self.session, self, self.publisher.began)
        self._tasks.start(self.publisher.run(), "publisher")  # not sooner: there is nowhere to publish before
        if output := self.session.output.audio:
            output.on("playback_started", self._on_playback_started)
            output.on("playback_finished", self._on_playback_finished)
        if greet:
            self.character.greet()

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
            self._remarks.floor.feed(FloorDisturbed())
            self.character.heed(text)
            self.tools.heed(text)
            await self.character.consented()
            self._pipeline_stt.feed(Written())
            self._cuts.by("typed")
            await self.session.interrupt(force=True)
            self._latency.asked_otherwise()
            self.tools.on_turn()
            made, before = self.tools.made, self._known(text)
            answer = self.session.generate_reply(user_input=text)
            await answer
            if answer.interrupted and self._known(text) == before:  # LiveKit forgets what it had not come to yet
                await self._tell(text)
            if self.tools.made != made:
                await self.tools.settled()
                if speech := self.session.current_speech:
                    await speech

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
        self._remarks.floor.feed(FloorDisturbed())
        if text:
            self._tasks.start(self.write(text), "call:picture")

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

    async def _hang_up(self) -> None:
        self.session.interrupt(force=True)
        await asyncio.sleep(HANG_UP_S)
        if self._model.live:
            await self._model.live.hang_up()

    async def aclose(self) -> None:
        await self.tools.aclose()
        await self.session.aclose()
        if self._recording:
            await self._recording.aclose()
        await self._pipeline_stt.aclose()
        self._remarks.floor.close()
        await self.character.aclose()
        await self._tasks.aclose()

    # What the model tells.

    def on_partial(self, partial: PartialHeard) -> None:
        self._sounds.label(self._now(), partial.item_id, partial.audio_end_ms)
        self.character.on_heard(partial.language)
        self._pipeline_stt.feed(replace(partial, aside=self.near.is_aside))

    def on_end_of_turn(self, probability: float) -> None:
        self._pipeline_stt.voted(probability)

    def on_committed(self) -> None:
        self._pipeline_stt.feed(TurnCommitted())
        self.tools.on_turn()
        self._see_floor()

    def on_answers(self, busy: bool, owed: bool, writing: bool) -> None:
        self.publisher.observe(answering=busy, owed=owed, writing=writing)
        self._see_floor()

    def on_outcome(self, outcome: ResponseOutcome) -> None:
        if outcome.error and not outcome.offer_id:
            self.publisher.failed("I could not answer that. Please try again.", outcome.reason)
        elif outcome.decision == "silent":
            waited = {} if outcome.waited_ms is None else {"waited_ms": outcome.waited_ms}
            self.publisher.stayed_silent(outcome.reason or "model", {"response_id": outcome.response_id, **waited})
        self._cuts.ended(outcome)
        if outcome.status in ("completed", "incomplete"):
            self.publisher.error("")
        logger.info("answer", extra={"response": outcome.response_id, "status": outcome.status})

    def on_connection(self, resume_token: str, sees: bool) -> None:
        self.publisher.connection(resume_token, sees)
        if not resume_token:
            self._remarks.floor.feed(FloorDisturbed())

    def on_persona(self, in_force: PersonaInForce) -> None:
        self.character.show(in_force)
        self.tools.offer(in_force.persona)

    def on_refused(self, refused: Refusal) -> None:
        self.character.refuse(refused)

    def on_trouble(self, text: str) -> None:
        if not text:
            self.character.on_line_up()
        self.publisher.error(text, "too_long" if text == TOO_LONG else "line")
        self._observer.on_trouble(text)

    @log_exceptions
    def on_tools(self) -> None:
        self._see_floor()

    @log_exceptions
    def on_broken_answer(self) -> None:
        self.character.apologise()

    def on_picture(self, source: VideoSource) -> None:
        self.publisher.saw_frame(source)
        if self.publisher.signals.sees:
            self._observer.on_frame()

    def on_observation(self, line: str) -> None:
        self.publisher.observed(line)

    @log_exceptions
    def on_offer(self, offer: RemarkOffer) -> None:
        self._remarks.floor.feed(OfferCame(offer))

    def on_offer_refused(self, offer_id: str) -> None:
        self._remarks.on_refused(offer_id)

    def on_recording(self, on: bool, why: str = "") -> None:
        self.publisher.recording(on, why)

    # What `PipelineStt` decides.

    def caption(self, item_id: str, text: str) -> None:
        if self._model.live:
            self._model.live.caption(item_id, text)

    def turn(self) -> None:
        self.near.take()
        self._latency.spoke()
        self._decided("turn", "somebody spoke")

    @log_exceptions
    def interrupt(self) -> None:
        """Stop the answer at once, so that the engines stop: LiveKit would wait until the turn is over.

        One that was begun over a sound goes on until that is over.
        """
        if self._over_sound and not self._over_sound.done():
            return
        if self.publisher.signals.given:
            self._cuts.note()
            self._decided("interrupted", SPEECH)
        elif self.publisher.signals.owed:
            self._decided("continued", "somebody went on before it was answered")
        self.session.interrupt()

    @log_exceptions
    def drop(self, kind: Kind, resume: bool) -> None:
        """Forget the sound and go on: LiveKit goes on seconds later, and clears nothing without a turn."""
        if self._model.live:
            self._model.live.clear_audio()
        self._see_floor()
        text = _REASONS.get(self._pipeline_stt.reason, "no words were heard")
        self._decided("backchannel" if kind == "backchannel" else "noise", text)
        if resume and (output := self.session.output.audio):
            output.resume()
            self._decided("resumed", "it was no interruption")

    @log_exceptions
    def go_on(self) -> None:
        """Go on with the answer, whatever the sound that has paused it turns out to be."""
        self.near.hold()
        if output := self.session.output.audio:
            output.resume()

    @log_exceptions
    def take_turn(self, reason: str) -> None:
        if self._model.live:
            figures = self._sounds.figures(self._now())
            self.publisher.decided("turn", _REASONS[reason], reason=reason, figures=figures)
            self._latency.asked_otherwise()
            self._model.live.commit_audio()
            # LiveKit would stop it at once, for the sound that goes on.
            self._over_sound = self.session.generate_reply(input_modality="audio", allow_interruptions=False)

    # What LiveKit tells.

    @log_exceptions
    def _on_user_state(self, event: UserStateChangedEvent) -> None:
        speaking = event.new_state == "speaking"
        self.publisher.observe(person_speaking=speaking)
        self._see_floor()  # what is about to be said unasked is stopped before the sound is judged
        if self._model.live:
            ago_s = self._turns.onset_s if speaking else self._turns.silence_s
            self._model.live.activity(speaking, ago_s * 1000)
        if speaking:
            signals = self.publisher.signals
            goes_on = self._pipeline_stt.undecided
            self._spoke_at = self._spoke_at if goes_on else self._now() - self._turns.onset_s
            self.near.onset(goes_on=goes_on)
            self._sounds.onset(self._now() - self._turns.onset_s, goes_on=goes_on)
            self._pipeline_stt.feed(Onset(signals.audible, signals.answering))
        else:
            if self._over_sound:
                self._over_sound.allow_interruptions = True  # LiveKit answers no turn over one that does not
            self._over_sound = None
            self._latency.paused(self._now() - self._turns.silence_s)
            if self._recording:
                self._recording.spoke(self._spoke_at, self._now() - self._turns.silence_s)
            self.near.pause()
            self._sounds.pause(self._now() - self._turns.silence_s)
            self._pipeline_stt.feed(Pause(self._sounds.length_ms))
        self.publisher.observe(undecided=not speaking and self._pipeline_stt.undecided)
        self._see_floor()

    def _on_transcript(self, event: UserInputTranscribedEvent) -> None:
        if event.is_final:
            self.character.heed(event.transcript)
            self.tools.heed(event.transcript)

    @log_exceptions
    def _on_playback_started(self, _: object) -> None:
        self.publisher.observe(audible=True)
        self._sounds.audible(self._now(), True)
        self.near.audible(True)
        self._see_floor()
        self._remarks.on_playback_started()
        answer = self._model.live.newest_answer if self._model.live else None
        if answer and answer.asked_at is not None:
            wait = self._latency.over(answer.asked_at, answer.sounded_at, self._now(), answer.timings)
            self.publisher.timed(answer.response_id, wait.since_speech_ms, wait.since_create_ms, wait.stages)

    @log_exceptions
    def _on_playback_finished(self, _: object) -> None:
        self.publisher.observe(audible=False)
        self._sounds.audible(self._now(), False)
        self.near.audible(False)
        self._see_floor()

    @log_exceptions
    def _see_floor(self) -> None:
        signals = self.publisher.signals
        person = signals.person_speaking or self._pipeline_stt.undecided
        agent = signals.audible or signals.answering
        self._remarks.floor.feed(FloorSeen(person, agent or self.tools.busy))
        self.tools.see_floor(not (person or agent))
        self.character.see_floor(not (person or agent or self.tools.busy or self.tools.answer_due))

    def _decided(self, what: What, text: str) -> None:
        """Publish what was made of a sound, why, and the numbers behind it."""
        figures = self._sounds.figures(self._now())
        self.publisher.decided(what, text, reason=self._pipeline_stt.reason, figures=figures)

    def _on_close(self, _: object) -> None:
        logger.info("call closed")

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


_REASONS = {
    "backchannel": "a sign of listening",
    "noise": "only noise was heard",
    "aside": "it was too quiet to be meant for the agent",
    "short": "it was short, and did not ask the agent to stop",
    "taken_back": "it was taken back",
    "timeout": "nothing was made out of it in time",
    "long_speech": "nobody else came to speak",
    "unchanged_words": "the sentence was whole, and what was heard after it had no words",
}  # why a sound is no turn, or is taken for one while it goes on; else there are no words in it
