"""One caller: at most one utterance being heard, and one answer being given."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from types import TracebackType
from typing import Self

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.session.active_response import ActiveResponse, ResponseRequest
from pipeline.session.pending_input import PendingInput
from pipeline.session.response_manager import ResponseManager
from pipeline.speech.input_audio_buffer import InputAudioBuffer
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.utterance import AHEAD_MS, TurnContext, Utterance
from pipeline.speech.vad_frontend import VoiceActivityDetector
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import prefill, run_turn
from pipeline.types.chunks import TurnId
from pipeline.types.history import History, Item
from pipeline.types.ids import camera_name, item_name, response_name
from pipeline.types.session_events import (
    CancelReason,
    InputCommitted,
    ItemAdded,
    OfferMade,
    PartialTranscript,
    SessionEvent,
    SpeechStarted,
    Status,
    TranscriptionCompleted,
)
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import ResponseOptions
from pipeline.vision.offers import OFFER_S, Offer
from pipeline.vision.vision_controller import SessionState, VisionController

PARTIAL_MS = 800  # of new sound before a running utterance is looked at again


class Session:
    """What one caller says goes in by methods, what they are to know comes out by `emit`.

    Use as `async with`: it owns every task of its turns, and they end with it. Methods raise
    `RequestError` for what cannot be done, and change nothing then.
    """

    def __init__(
        self,
        name: str,
        stages: PipelineStages,
        detector: VoiceActivityDetector,
        emit: Callable[[SessionEvent], None],
        history: History | None = None,
    ) -> None:
        self.name = name
        self.options = SessionOptions(ResponseOptions(cache_salt=name))
        self._stages = stages
        self._emit = emit
        self._tasks = BackgroundTasks()
        self._epochs = count()
        self._pending_input = PendingInput(self._tasks)
        self._reading: asyncio.Task[None] | None = None
        self.conversation = Conversation(history or History(), emit)
        self._answering = ResponseManager(self._tasks, self.conversation, emit, self._answered)
        self.listening = InputAudioBuffer(detector, self._begin, self._drop, self._turn_ended, self._told_by_listening)
        self.vision: VisionController | None = None
        if stages.sees:
            moment = SessionState(self._is_settling, self._is_speaking, lambda: self.options, self._turn)
            camera = camera_name(name, goes_on=history is not None)
            self.vision = VisionController(camera, stages, self.conversation, self._tasks, moment, self._offered)

    @property
    def history(self) -> History:
        return self.conversation.history

    @property
    def answering(self) -> str | None:
        """The id of the response that is being given."""
        return self._answering.response_id

    def configure(self, options: SessionOptions) -> None:
        """How to work from now on. A prompt that this changes is made ready in the background."""
        changed = options.response_options.instructions != self.options.response_options.instructions
        self.options = replace(options, response_options=replace(options.response_options, cache_salt=self.name))
        self.listening.configure(options)
        if changed:
            self._prefill_ahead()

    def commit(self) -> str:
        """The utterance so far becomes an item; returns its id. Nothing is answered by this."""
        self._look_up()
        utterance = self.listening.commit()
        self._pending_input.said(utterance)
        item = Item(utterance.item_id, "user", utterance.transcriber.newest.text, "audio")
        previous = self.conversation.add(item)
        self._emit(InputCommitted(item.id, previous))
        self._emit(ItemAdded(item, previous))
        return item.id

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
        self._answering.check_free()
        response_options = replace(response_options or self.options.response_options, cache_salt=self.name)
        if self.vision and metadata and (offer_id := metadata.get("offer_id")):
            response_options = replace(response_options, say=self.vision.offers.accept(offer_id, _now()))
        self._look_up(ahead=False)
        kept, item_id = kept and history is None, item_name()
        self._pending_input.written_at = None
        if kept:
            self._pending_input.forgive()
        question = TurnContext(
            lambda: history or self.history.until(item_id), self._stages.route, lambda: response_options
        )
        adopted = self._pending_input.take(self.history) if kept and response_options.say is None else None
        if adopted:
            output, turn = adopted.output, adopted.turn
            adopted.question.history, adopted.question.response_options = question.history, question.response_options
            adopted.transcriber.settle()
        else:
            output, turn = SpeculativeOutput(AHEAD_MS), self._turn()
        moments = (adopted.moments() if adopted else {}) | (self.vision.moments() if self.vision else {})
        request = ResponseRequest(turn, response_name(), item_id, response_options, metadata or {}, kept, moments)
        answer = self._answering.announce(request, output)
        if adopted and adopted.answering:
            work = adopted.answering
        else:
            work = self._tasks.start(f"{turn}", run_turn, turn, self._pending_input.typed(), question, output)
        self._answering.deliver(answer, work)
        return request.response_id

    def clear(self) -> None:
        """Forget the sound since the last commit."""
        self.listening.clear()
        self._answer_what_is_owed()

    def cancel(self, response_id: str | None = None, reason: CancelReason = "client_cancelled") -> None:
        """Stop the answer. The caller is told at once; the engines are idle when its tasks have ended."""
        self._answering.cancel(response_id, reason)

    def write(self, item: Item, after: str | None = None) -> None:
        """A message joins the conversation: behind `after`, by default at the end."""
        self._look_up()
        self.conversation.create(item, after)
        if item.role == "user":
            self._pending_input.wrote(item.text)

    def truncate(self, item_id: str, played_ms: int) -> None:
        """The caller has heard only the first `played_ms` of that answer."""
        self.conversation.truncate(item_id, played_ms)
        self._answering.truncate(item_id, played_ms)

    def _begin(self) -> Utterance:
        self._pending_input.drop()
        response_options = self.options.response_options
        transcriber = StreamingTranscriber(
            response_options.language, PARTIAL_MS if self.options.partials else None, response_options.context
        )
        item_id = item_name()
        question = TurnContext(lambda: self.history, self._stages.route, lambda: self.options.response_options, item_id)
        turn = self._turn()
        utterance = Utterance(turn, item_id, transcriber, question)
        if self.vision:
            self.vision.speech(utterance)
        utterance.listening = self._tasks.start(
            f"{turn}:asr", utterance.listen, self._stages.recogniser, self._told_by_ears
        )
        hypotheses = utterance.hypotheses(lambda: self.answering is not None)
        utterance.answering = self._tasks.start(f"{turn}", run_turn, turn, hypotheses, question, utterance.output)
        return utterance

    def _drop(self, utterance: Utterance) -> None:
        self._tasks.stop(f"{utterance.turn}:drop", utterance.tasks())

    def _turn_ended(self) -> None:
        self._pending_input.owe(self.commit())
        self._answer_what_is_owed()

    def _answer_what_is_owed(self) -> bool:
        """What was said is answered as soon as no answer is being given, and nobody speaks."""
        detection = self.options.detection
        if not (detection and detection.creates_response):
            self._pending_input.forgive()
        due = not (self.answering or self._is_speaking()) and self._pending_input.owes(self.history)
        if due:
            self.respond()
        return due

    def _told_by_listening(self, event: SessionEvent) -> None:
        self._emit(event)
        detection = self.options.detection
        if isinstance(event, SpeechStarted) and self.answering and detection and detection.interrupts:
            self.cancel(reason="turn_detected")

    def _told_by_ears(self, event: SessionEvent) -> None:
        match event:
            case PartialTranscript() if not self.options.partials:
                return
            case TranscriptionCompleted(item_id, text):
                self.conversation.reword(item_id, text)
        self._emit(event)

    def _answered(self, answer: ActiveResponse, status: Status) -> None:
        self._pending_input.free_since = _now()
        if self._answer_what_is_owed():
            return
        if self.vision and status == "completed" and not self._is_settling():
            self.vision.look_back()
        if answer.request.kept and status == "completed":  # after a cancel somebody speaks, and the engines are to rest
            self._prefill_ahead()

    def _prefill_ahead(self) -> None:
        """Have the prompt of the next question read as far as it is known, while nobody waits for it."""
        if self._reading:
            self._reading.cancel()
        turn = self._turn()
        question = TurnContext(lambda: self.history, self._stages.route, lambda: self.options.response_options)
        self._reading = self._tasks.start(f"{turn}:read", prefill, turn, question.ask("").unfinished(), question)

    def _offered(self, offer: Offer) -> None:
        if self.options.proactive == "offer":
            self._emit(OfferMade(offer.id, offer.text, round(1000 * OFFER_S)))
        else:
            self.respond(metadata={"trigger": "vision", "offer_id": offer.id})

    def _is_speaking(self) -> bool:
        return self.listening.utterance is not None

    def _look_up(self, *, ahead: bool = True) -> None:
        """Something is about to be said or asked: it is about what has been seen until now."""
        if self.vision and not self._pending_input.is_settling(self.listening.utterance):
            self.vision.rest(ahead=ahead and not self.answering)

    def _is_settling(self) -> bool:
        """A question is complete, or may be, and nothing that its answer depends on may change."""
        return bool(self.answering) or self._pending_input.is_settling(self.listening.utterance)

    def _turn(self) -> TurnId:
        return TurnId(self.name, next(self._epochs))

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        if self.vision:
            self.vision.open()
        self._answering.began = _now()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pending_input.forgive()
        self._answering.hang_up()
        await self._tasks.__aexit__(kind, error, trace)


def _now() -> float:
    return asyncio.get_running_loop().time()
