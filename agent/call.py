"""This module joins an AgentSession over the pipeline with its STT, its turn tracker and its state publisher."""

import asyncio
import logging
from typing import Any

from livekit.agents import Agent, UserInputTranscribedEvent, llm

from agent.aio.background_tasks import OwnedTasks
from agent.aio.guard import log_exceptions
from agent.answers.answer_cuts import AnswerCuts
from agent.answers.answer_reports import AnswerReports
from agent.answers.call_absence import CallAbsence
from agent.answers.call_session import call_session
from agent.answers.floor_watch import FloorWatch
from agent.answers.spoken_turns import SpokenTurns
from agent.answers.written_turns import WrittenTurns
from agent.character import CallPersona
from agent.floor.floor import FLOOR, FloorDisturbed, FloorRules, OfferCame, RemarkOffer
from agent.livekit.connection import ConnectPipeline, PipelineEndpoint
from agent.livekit.conversation import TOO_LONG
from agent.livekit.model import AuraRealtimeModel
from agent.livekit.remarks import Remarks
from agent.livekit.responses.outcome import ResponseOutcome
from agent.livekit.session_persona import PersonaInForce
from agent.livekit.session_settings import PipelineSessionSettings
from agent.persona.catalogue import PersonaCatalogue
from agent.persona.changes import Refusal
from agent.persona.first_persona import FirstPersona
from agent.persona.persona import Persona
from agent.records.call_recording import CallRecording, RecordedSink
from agent.rooms.failover_metadata import FailoverMetadata
from agent.rooms.history_seal import HistorySeal
from agent.settings.agent import PipelineSettings
from agent.settings.tools import ToolSettings
from agent.status.attributes import AgentStatePublisher
from agent.status.call_observer import CallObserver
from agent.status.latency import LatencyTracker
from agent.tools.call_tools import CallTools, Toolkit
from agent.turns.endpointing import TURN_MODELS, TurnModels, Turns
from agent.turns.turn_events import PartialHeard, TurnCommitted
from agent.video.sourced_frame import VideoSource
from pipeline.realtime.client import connect

logger = logging.getLogger(__name__)

NO_TOOLS = Toolkit(ToolSettings(built_in=()))  # a call whose owner names none


class Call:
    """Joins the parts: each tells the call what happened, and the call tells the others.

    Attributes:
        session: LiveKit's.
        publisher: Tells the room about the agent.
        spoken: What the person says.
        character: Who the agent is.
        tools: What it can do.

    Args:
        persona: Who the agent is until somebody changes it.
        observer: Is told what the room is shown, and what becomes of the line to the pipeline.
        spoken: The call has sound; without it, it is a conversation in writing.
        recalled: The call has begun with an agent that died.
        floor: When the agent may speak of its own accord.
        models: Listen to the sound of the call.
        catalogue: Who else it may be.
        toolkit: What it can do.
        recording: Records it; None: nothing does.
        seal: With which what is said is shown to an agent that may have to take over; None: there will be none.
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
        seal: HistorySeal | None = None,
    ) -> None:
        self._instructions, self._observer = persona.instructions, observer
        self._recording, self._recalled = recording, recalled
        self._tasks, self._begun = OwnedTasks(), asyncio.Event()
        self.publisher = AgentStatePublisher(RecordedSink(observer, recording) if recording else observer)
        may_remark = turns.camera and floor.per_minute > 0
        first = FirstPersona(persona, recalled is not None, may_remark, catalogue or PersonaCatalogue())
        settings = PipelineSessionSettings(persona, spoken, turns.camera, first.speaks_up)
        self._seal, self._before = seal, seal.open(recalled.history) if seal and recalled else []
        endpoint = PipelineEndpoint(pipeline, connect, recalled.resume_token if recalled else "", self._before)
        self._model = AuraRealtimeModel(endpoint, settings, self)
        cuts, latency = AnswerCuts(self._model, self.publisher), LatencyTracker()
        self._reports = AnswerReports(self._model, self.publisher, cuts, latency)
        self.spoken = SpokenTurns(turns, persona, self._model, self, cuts, latency, recording)
        self.session = call_session(self._model, turns, models, self.spoken if spoken else None)
        self._remarks = Remarks(self.session, self._model, self.publisher, floor, wanted=first.speaks_up, spoken=spoken)
        self.character = CallPersona(self.session, self._model, self.publisher, self._remarks, cuts, first, recording)
        self.tools = CallTools(toolkit or NO_TOOLS, self._model, self.publisher, self.character, camera=turns.camera)
        self._written = WrittenTurns(
            self.session,
            self._model,
            self.character,
            self.tools,
            cuts,
            stt=self.spoken.stt,
            floor=self._remarks.floor,
            latency=latency,
            consent=self.character.consent,
        )
        self._absence = CallAbsence(self.session, self._model, cuts)
        self._floor = FloorWatch(self.publisher, self.spoken, self._remarks, self.tools, self.character.consent)
        self.spoken.follow(self.session)
        self.session.on("user_input_transcribed", self._on_transcript)
        self.session.on("conversation_item_added", self._on_item)
        self.session.on("close", self._on_close)

    @property
    def busy(self) -> bool:
        """Whether something is undecided that was said, or an answer is due, on its way or being heard."""
        return self._floor.busy

    async def start(self, *, greet: bool = True, **room: Any) -> None:
        """Begin; `room` is what `AgentSession.start` takes of a room."""
        tools, before = self.tools.for_agent(self.character.now), llm.ChatContext(list(self._before))
        agent = Agent(instructions=self._instructions, tools=tools, chat_ctx=before)
        await self.session.start(agent, record=False, **room)
        self.tools.start(agent, self._recalled.tool if self._recalled else "")
        if self._recording:
            self._recording.begin(self.session, self, self.publisher.began)
        if self._before:
            self._show_history()
        self._tasks.start(self.publisher.run(), "publisher")  # not sooner: there is nowhere to publish before
        if output := self.session.output.audio:
            output.on("playback_started", self._on_playback_started)
            output.on("playback_finished", self._on_playback_finished)
        self._begun.set()
        if greet:
            self.character.greet()

    @log_exceptions
    def repeat(self) -> None:
        """Say once more what was said last, from its beginning."""
        answer = self._model.live.answers.newest if self._model.live else None
        if answer and answer.words.strip():
            self.session.interrupt()
            self.session.say(answer.words.strip())

    async def write(self, text: str) -> None:
        """Answer what the person has written, which cuts what is being said. Returns when that is done.

        Before the call has begun it waits for that: LiveKit takes what is written a moment sooner than it can answer.
        """
        await self._begun.wait()
        await self._written.write(text)

    def look(self, jpeg: bytes, text: str) -> None:
        """See a picture, and answer what was written with it; without words, the next question is about it.

        Raises:
            PictureRefused: Nobody would see it.
        """
        self._written.look(jpeg, text)

    def pick_up(self) -> None:
        """Go on with the conversation: somebody is there."""
        self._absence.pick_up()

    def hang_up(self) -> None:
        """Stop speaking, and let others have the place in the pipeline: nobody is there."""
        self._absence.hang_up()

    async def aclose(self) -> None:
        """End the call, and return when nothing of it is left."""
        await self.tools.aclose()
        await self.session.aclose()
        if self._recording:
            await self._recording.aclose()
        await self._absence.aclose()
        await self._written.aclose()
        await self.spoken.stt.aclose()
        self._remarks.floor.close()
        await self.character.aclose()
        await self._tasks.aclose()

    def see_floor(self) -> None:
        """Something has changed of who speaks."""
        self._floor.see()

    # What the model tells.

    def on_partial(self, partial: PartialHeard) -> None:
        self.character.on_heard(partial.language)
        self.spoken.on_partial(partial)

    def on_end_of_turn(self, probability: float) -> None:
        self.spoken.stt.voted(probability)

    def on_committed(self) -> None:
        self.spoken.stt.feed(TurnCommitted())
        self.tools.on_turn()
        self.see_floor()

    def on_answers(self, busy: bool, owed: bool, writing: bool) -> None:
        self.publisher.observe(answering=busy, owed=owed, writing=writing)
        self.see_floor()

    def on_outcome(self, outcome: ResponseOutcome) -> None:
        self._reports.ended(outcome)
        if outcome.status == "completed":
            self.character.consent.on_said(outcome.said)

    def on_connection(self, resume_token: str, sees: bool) -> None:
        self.publisher.connection(resume_token, sees)
        if not resume_token:
            self._remarks.floor.feed(FloorDisturbed())
        self.see_floor()  # what tools returned to nobody is due when they are back

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

    def on_tools(self) -> None:
        self.see_floor()

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

    # What LiveKit tells.

    def _on_transcript(self, event: UserInputTranscribedEvent) -> None:
        if event.is_final:
            self.character.heed(event.transcript)
            self.tools.heed(event.transcript)

    @log_exceptions
    def _on_item(self, _: object) -> None:
        self._show_history()

    def _show_history(self) -> None:
        if self._seal and self._model.live:
            self.publisher.history(self._seal.seal(self._model.live.chat_ctx.items))

    @log_exceptions
    def _on_playback_started(self, _: object) -> None:
        self._floor.on_audible(True)
        self._reports.heard()

    @log_exceptions
    def _on_playback_finished(self, _: object) -> None:
        self._floor.on_audible(False)

    def _on_close(self, _: object) -> None:
        logger.info("call closed")
