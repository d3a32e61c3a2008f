"""One caller: at most one utterance being heard, and one answer being given."""

import asyncio
from dataclasses import replace
from types import TracebackType
from typing import Self

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.session.pending_input import PendingInput
from pipeline.session.prefill_ahead import PrefillAhead
from pipeline.session.response_manager import ResponseManager
from pipeline.session.spoken_input import SpokenInput
from pipeline.speech.end_of_turn import EndOfTurnModel
from pipeline.speech.vad_frontend import Pcm, VoiceActivityDetector
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.events.event_sink import EventSink, SessionEvent
from pipeline.types.events.input_events import (
    InputCleared,
    OfferMade,
    PartialTranscript,
    PictureRecognised,
    TranscriptionCompleted,
    VideoSkipped,
)
from pipeline.types.events.response_events import CancelReason, ResponseDone
from pipeline.types.history import History, Item
from pipeline.types.ids import camera_name
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from pipeline.vision.observation_report import ObservationReport
from pipeline.vision.offers import OFFER_S, Offer, OfferBook
from pipeline.vision.session_state import SessionState
from pipeline.vision.sighting import Sighting
from pipeline.vision.steady_view import SteadyView
from pipeline.vision.vision_controller import VisionController


class Session:
    """What one caller says goes in by methods, what they are to know comes out of `sink`.

    Use as `async with`: it owns every task of its turns, and they end with it. Methods raise
    `RequestError` for what cannot be done, and change nothing then.

    Args:
        name: Of the session: what engines compute for one is not shared with another.
        history: With which its conversation begins; None: it is a new one.
        end_model: Judges by their sound whether turns are over; None: nothing does.

    Attributes:
        options: How it works now.
        vision: The caller's camera; None: no model here sees.
    """

    def __init__(
        self,
        name: str,
        stages: PipelineStages,
        detector: VoiceActivityDetector,
        sink: EventSink,
        history: History | None = None,
        end_model: EndOfTurnModel | None = None,
    ) -> None:
        self.name = name
        self.options = SessionOptions(ResponseOptions(cache_salt=name))
        self._stages = stages
        self._sink = sink
        self._tasks = BackgroundTasks()
        turns = TurnCounter(name)
        self._pending_input = PendingInput(self._tasks, awaits_words=not stages.answers_sound)
        self._prefill_ahead = PrefillAhead(stages, self._tasks, turns)
        self._sighted = False  # something was looked at
        self._shuts_down = False
        self.conversation = Conversation(history or History(), sink)
        self._responses = ResponseManager(stages, self.conversation, self._pending_input, self._tasks, turns, self)
        self._view, self._report = SteadyView(), ObservationReport()
        self.vision: VisionController | None = None
        if stages.sees:
            camera = camera_name(name, goes_on=history is not None)
            self.vision = VisionController(camera, stages, self.conversation, self._tasks, turns, self)
        self._spoken_input = SpokenInput(stages, detector, end_model, self._pending_input, self._tasks, turns, self)

    @property
    def history(self) -> History:
        """The conversation as it stands now."""
        return self.conversation.history

    @property
    def answering(self) -> str | None:
        """The id of the response that is being given."""
        return self._responses.response_id

    @property
    def state(self) -> SessionState:
        """The state of the session now, for its vision."""
        settles_until = self._pending_input.settles_until(self._spoken_input.speaking)
        speaking, answering = self._spoken_input.speaking is not None, self.answering is not None
        return SessionState(self.options.response_options, self.options.proactive, speaking, answering, settles_until)

    def configure(self, options: SessionOptions) -> None:
        """How to work from now on. A prompt that this changes is made ready in the background."""
        new, old = options.response_options, self.options.response_options
        changed = (new.instructions, new.tools.tools) != (old.instructions, old.tools.tools)
        self.options = replace(options, response_options=replace(options.response_options, cache_salt=self.name))
        self._spoken_input.configure(options)
        self.has_changed()
        if changed:
            self._prefill_next()

    async def append(self, pcm: Pcm) -> None:
        """Take sound as it comes, cut anywhere: float32, 16 kHz mono."""
        await self._spoken_input.append(pcm)

    def activity(self, speaking: bool, audio_ms: int | None = None) -> None:
        """The caller's own voice activity detection says that the person starts or pauses.

        Args:
            audio_ms: When, in the sound that was appended; by default at its end.
        """
        self._spoken_input.activity(speaking, audio_ms)

    def clear(self) -> None:
        """Forget the sound since the last commit."""
        self._spoken_input.clear()
        self.emit(InputCleared())
        self.answer_owed()

    def commit(self) -> str:
        """The utterance so far becomes an item; returns its id. Nothing is answered by this."""
        self.look_up()
        return self._spoken_input.commit()

    def respond(
        self,
        response_options: ResponseOptions | None = None,
        metadata: dict[str, str] | None = None,
        history: History | None = None,
        *,
        kept: bool = True,
    ) -> str:
        """Answer what was said; returns the response's id.

        Args:
            response_options: Wishes for this answer, by default the session's.
            history: Answers this conversation, and keeps the answer out of the session's.
            kept: False keeps an answer to the session's conversation out of it, too.
        """
        self._responses.check_free()
        response_options = replace(response_options or self.options.response_options, cache_salt=self.name)
        offers = self.vision.offers if self.vision else OfferBook()
        if metadata and (offer_id := metadata.get("offer_id")):
            response_options = replace(response_options, say=offers.accept(offer_id, _now()))
        offers.drop()
        self.look_up(ahead=False)
        seen = self.vision.moments() if self.vision else {}
        response_id = self._responses.create(response_options, metadata or {}, history, seen, kept=kept)
        self.has_changed()
        return response_id

    def cancel(self, response_id: str | None = None, reason: CancelReason = "client_cancelled") -> None:
        """Stop the answer. The caller is told at once; the engines are idle when its tasks have ended."""
        self._responses.cancel(response_id, reason)

    def shut_down(self) -> None:
        """Stop the answer, and begin none to what was said over it or is said from now on: the pipeline ends."""
        self._shuts_down = True
        if self.answering:
            self.cancel(reason="shutting_down")

    def write(self, item: Item, after: str | None = None) -> None:
        """A message joins the conversation: behind `after`, by default at the end."""
        self.look_up()
        self.conversation.create(item, after)
        if item.is_question:
            self._pending_input.wrote(item.text)
            if self.vision:
                self.vision.offers.drop()
            self.has_changed()

    def is_telling(self, item_id: str) -> bool:
        """Whether an item of that id is in progress: a message of the answer that is being given."""
        return self._responses.is_telling(item_id)

    def truncate(self, item_id: str, played_ms: int) -> None:
        """The caller has heard only the first `played_ms` of that answer."""
        self.conversation.truncate(item_id, played_ms)
        self._responses.truncate(item_id, played_ms)

    # What its parts tell, and ask for.

    def emit(self, event: SessionEvent) -> None:
        """Take what a part of the session has to tell: the caller is told, and what follows from it is done."""
        match event:
            case PartialTranscript() if not self.options.partials:
                return
            case TranscriptionCompleted(item_id, text, language=language) if self._stages.answers_sound:
                self.conversation.transcribe(item_id, text, language)
            case TranscriptionCompleted(item_id, text, language=language):
                self.conversation.reword(item_id, text, language)
        self._sink.emit(event)
        if isinstance(event, ResponseDone):
            self._ended(event)

    def look_up(self, *, ahead: bool = True) -> None:
        """Something is about to be said or asked: it is about what has been seen until now."""
        if self.vision and _now() >= self._pending_input.settles_until(self._spoken_input.speaking):
            self.vision.rest(ahead=ahead and not self.answering)

    def has_changed(self) -> None:
        """Have vision know the state that the session has now."""
        if self.vision:
            self.vision.update(self.state)

    def answer_owed(self) -> bool:
        """Answer what is owed an answer, if none is being given and nobody speaks; returns whether that is begun."""
        detection = self.options.detection
        if self._shuts_down or not (detection and detection.creates_response):
            self._pending_input.forgive()
        due = not (self.answering or self._spoken_input.speaking) and self._pending_input.owes(self.history)
        if due:
            self.respond()
        return due

    def offer(self, offer: Offer) -> None:
        """The model would say something of its own accord."""
        if self.options.proactive == "offer":
            self.emit(OfferMade(offer.id, offer.text, round(1000 * OFFER_S)))
        else:
            self.respond(metadata={"trigger": "vision", "offer_id": offer.id})

    def sighted(self, sighting: Sighting) -> None:
        """Something was recognised in what the camera shows, or nothing."""
        source, now = sighting.clip.source, _now()
        seen = self._view.feed(sighting.observation, source)
        if self.options.observations and self._report.feed(seen, source, now):
            self.emit(PictureRecognised(seen, source, round(1000 * (now - sighting.came))))
        if not self._sighted and self.state.is_idle(_now()):
            self._prefill_next()  # of who sees, prompts begin otherwise
        self._sighted = True

    def skipped(self, seconds: int) -> None:
        """So many seconds of video are not seen: the model cannot keep up."""
        self.emit(VideoSkipped(seconds))

    def _ended(self, done: ResponseDone) -> None:
        self._pending_input.free(cancelled=done.status == "cancelled")
        self.conversation.forget_sound(self._stages.limits)
        self.has_changed()
        if self.answer_owed():
            return
        whole = done.status in ("completed", "incomplete")  # after a cancel the engines are to rest
        if self.vision and whole and not self.state.is_settling(_now()):
            self.vision.look_back()
        if done.kept and whole and not done.calls:  # the next prompt begins with what these bring
            self._prefill_next()

    def _prefill_next(self) -> None:
        """Prefill the prompt of the next question as far as it is known, while nobody waits for it."""
        self._prefill_ahead.start(TurnRequest(self.history, self.options.response_options))

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        if self.vision:
            self.vision.open()
        self._responses.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pending_input.forgive()
        self._responses.hang_up()
        for item_id in filter(self.history.find, self._pending_input.half_heard()):
            self.conversation.delete(item_id)  # whoever goes on with the conversation is not to answer half a question
        await self._tasks.__aexit__(kind, error, trace)


def _now() -> float:
    return asyncio.get_running_loop().time()
