"""One caller: at most one utterance being heard, and one answer being given."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from types import TracebackType
from typing import Self

from pipeline.aio.tasks import Tasks
from pipeline.context.conversation import Conversation
from pipeline.session.active_response import Answer, Request
from pipeline.session.pending_input import Unanswered
from pipeline.session.response_manager import Answering
from pipeline.speech.input_audio_buffer import Listening
from pipeline.speech.streaming_transcriber import Hearing
from pipeline.speech.utterance import AHEAD_MS, Question, Utterance
from pipeline.speech.vad_frontend import Detector
from pipeline.turns.speculative_output import Held
from pipeline.turns.stages import Stages
from pipeline.turns.turn import read, run_turn
from pipeline.types.chunks import Turn
from pipeline.types.history import History, Item
from pipeline.types.ids import camera_name, item_name, response_name
from pipeline.types.session_events import (
    CancelReason,
    Committed,
    Event,
    ItemAdded,
    Offered,
    Partial,
    SpeechStarted,
    Status,
    Transcribed,
)
from pipeline.types.session_options import Setup
from pipeline.types.turn_request import Wants
from pipeline.vision.offers import OFFER_S, Offer
from pipeline.vision.vision_controller import Moment, Sight

PARTIAL_MS = 800  # of new sound before a running utterance is looked at again


class Session:
    """What one caller says goes in by methods, what they are to know comes out by `tell`.

    Use as `async with`: it owns every task of its turns, and they end with it. Methods raise
    `RequestError` for what cannot be done, and change nothing then.
    """

    def __init__(
        self,
        name: str,
        stages: Stages,
        detector: Detector,
        tell: Callable[[Event], None],
        history: History | None = None,
    ) -> None:
        self.name = name
        self.setup = Setup(Wants(cache_salt=name))
        self._stages = stages
        self._tell = tell
        self._tasks = Tasks()
        self._epochs = count()
        self._unanswered = Unanswered(self._tasks)
        self._reading: asyncio.Task[None] | None = None
        self.conversation = Conversation(history or History(), tell)
        self._answering = Answering(self._tasks, self.conversation, tell, self._answered)
        self.listening = Listening(detector, self._begin, self._drop, self._turn_ended, self._told_by_listening)
        self.sight: Sight | None = None
        if stages.sees:
            moment = Moment(self._is_settling, self._is_speaking, lambda: self.setup, self._turn)
            camera = camera_name(name, goes_on=history is not None)
            self.sight = Sight(camera, stages, self.conversation, self._tasks, moment, self._offered)

    @property
    def history(self) -> History:
        return self.conversation.history

    @property
    def answering(self) -> str | None:
        """The id of the response that is being given."""
        return self._answering.response_id

    def configure(self, setup: Setup) -> None:
        """How to work from now on. A prompt that this changes is made ready in the background."""
        changed = setup.wants.instructions != self.setup.wants.instructions
        self.setup = replace(setup, wants=replace(setup.wants, cache_salt=self.name))
        self.listening.configure(setup)
        if changed:
            self._read_ahead()

    def commit(self) -> str:
        """The utterance so far becomes an item; returns its id. Nothing is answered by this."""
        self._look_up()
        utterance = self.listening.commit()
        self._unanswered.said(utterance)
        item = Item(utterance.item_id, "user", utterance.hearing.newest.text, "audio")
        previous = self.conversation.add(item)
        self._tell(Committed(item.id, previous))
        self._tell(ItemAdded(item, previous))
        return item.id

    def respond(
        self,
        wants: Wants | None = None,
        metadata: dict[str, str] | None = None,
        history: History | None = None,
        *,
        kept: bool = True,
    ) -> str:
        """Answer what was said; returns the response's id.

        Args:
            wants: Wishes for this answer, by default the session's.
            history: Answers this conversation, and keeps the answer out of the session's.
            kept: False keeps an answer to the session's conversation out of it, too.
        """
        self._answering.check_free()
        wants = replace(wants or self.setup.wants, cache_salt=self.name)
        if self.sight and metadata and (offer_id := metadata.get("offer_id")):
            wants = replace(wants, say=self.sight.offers.accept(offer_id, _now()))
        self._look_up(ahead=False)
        self._unanswered.written_at = None
        kept, item_id = kept and history is None, item_name()
        question = Question(lambda: history or self.history.until(item_id), self._stages.route, lambda: wants)
        adopted = self._unanswered.take(self.history) if kept and wants.say is None else None
        if adopted:
            held, turn = adopted.held, adopted.turn
            adopted.question.history, adopted.question.wants = question.history, question.wants
            adopted.hearing.settle()
        else:
            held, turn = Held(AHEAD_MS), self._turn()
        moments = (adopted.moments() if adopted else {}) | (self.sight.moments() if self.sight else {})
        request = Request(turn, response_name(), item_id, wants, metadata or {}, kept, moments)
        answer = self._answering.announce(request, held)
        if adopted and adopted.answering:
            work = adopted.answering
        else:
            work = self._tasks.start(f"{turn}", run_turn, turn, self._unanswered.typed(), question, held)
        self._answering.deliver(answer, work)
        return request.response_id

    def cancel(self, response_id: str | None = None, reason: CancelReason = "client_cancelled") -> None:
        """Stop the answer. The caller is told at once; the engines are idle when its tasks have ended."""
        self._answering.cancel(response_id, reason)

    def write(self, item: Item, after: str | None = None) -> None:
        """A message joins the conversation: behind `after`, by default at the end."""
        self._look_up()
        self.conversation.create(item, after)
        if item.role == "user":
            self._unanswered.wrote(item.text)

    def truncate(self, item_id: str, played_ms: int) -> None:
        """The caller has heard only the first `played_ms` of that answer."""
        self.conversation.truncate(item_id, played_ms)
        self._answering.truncate(item_id, played_ms)

    def _begin(self) -> Utterance:
        self._unanswered.drop()
        wants = self.setup.wants
        hearing = Hearing(wants.language, PARTIAL_MS if self.setup.partials else None, wants.context)
        item_id = item_name()
        question = Question(lambda: self.history, self._stages.route, lambda: self.setup.wants, item_id)
        turn = self._turn()
        utterance = Utterance(turn, item_id, hearing, question)
        if self.sight:
            self.sight.speech(utterance)
        utterance.listening = self._tasks.start(
            f"{turn}:asr", utterance.listen, self._stages.recogniser, self._told_by_ears
        )
        hypotheses = utterance.hypotheses(lambda: self.answering is not None)
        utterance.answering = self._tasks.start(f"{turn}", run_turn, turn, hypotheses, question, utterance.held)
        return utterance

    def _drop(self, utterance: Utterance) -> None:
        self._tasks.stop(f"{utterance.turn}:drop", utterance.tasks())

    def _turn_ended(self) -> None:
        self.commit()
        if self.setup.detection and self.setup.detection.creates_response and not self.answering:
            self.respond()

    def _told_by_listening(self, event: Event) -> None:
        self._tell(event)
        detection = self.setup.detection
        if isinstance(event, SpeechStarted) and self.answering and detection and detection.interrupts:
            self.cancel(reason="turn_detected")

    def _told_by_ears(self, event: Event) -> None:
        match event:
            case Partial() if not self.setup.partials:
                return
            case Transcribed(item_id, text):
                self.conversation.reword(item_id, text)
        self._tell(event)

    def _answered(self, answer: Answer, status: Status) -> None:
        self._unanswered.free_since = _now()
        if self.sight and status == "completed" and not self._is_settling():
            self.sight.look_back()
        if answer.request.kept and status == "completed":  # after a cancel somebody speaks, and the engines are to rest
            self._read_ahead()

    def _read_ahead(self) -> None:
        """Have the prompt of the next question read as far as it is known, while nobody waits for it."""
        if self._reading:
            self._reading.cancel()
        turn = self._turn()
        question = Question(lambda: self.history, self._stages.route, lambda: self.setup.wants)
        self._reading = self._tasks.start(f"{turn}:read", read, turn, question.ask("").unfinished(), question)

    def _offered(self, offer: Offer) -> None:
        if self.setup.proactive == "offer":
            self._tell(Offered(offer.id, offer.text, round(1000 * OFFER_S)))
        else:
            self.respond(metadata={"trigger": "vision", "offer_id": offer.id})

    def _is_speaking(self) -> bool:
        return self.listening.utterance is not None

    def _look_up(self, *, ahead: bool = True) -> None:
        """Something is about to be said or asked: it is about what has been seen until now."""
        if self.sight and not self._unanswered.is_settling(self.listening.utterance):
            self.sight.rest(ahead=ahead and not self.answering)

    def _is_settling(self) -> bool:
        """A question is complete, or may be, and nothing that its answer depends on may change."""
        return bool(self.answering) or self._unanswered.is_settling(self.listening.utterance)

    def _turn(self) -> Turn:
        return Turn(self.name, next(self._epochs))

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        if self.sight:
            self.sight.open()
        self._answering.began = _now()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._answering.hang_up()
        await self._tasks.__aexit__(kind, error, trace)


def _now() -> float:
    return asyncio.get_running_loop().time()
