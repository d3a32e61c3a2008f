"""A turn that somebody speaks: while its utterance is heard, its answer is prepared."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol

from pipeline.aio.tasks import BackgroundTasks
from pipeline.session.utterance import Utterance
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import run_turn
from pipeline.turns.turn_context import TurnContext
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.events.event_sink import EventSink
from pipeline.types.events.input_events import EarlyAnswersEnded
from pipeline.types.history import History
from pipeline.types.hypothesis import Hypothesis
from pipeline.types.ids import item_name
from pipeline.types.session_options import SessionOptions


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """An utterance with the tasks that serve it.

    Attributes:
        listening: Runs the recogniser over the sound.
        answering: Runs the turn.
    """

    utterance: Utterance
    listening: asyncio.Task[None]
    answering: asyncio.Task[None]


class AskedSession(EventSink, Protocol):
    """What a turn reads of its session each time that more was made out: `Session`."""

    options: SessionOptions

    @property
    def history(self) -> History: ...

    @property
    def answering(self) -> str | None: ...


class SpokenTurnRunner:
    """Starts the tasks of each utterance that opens."""

    def __init__(
        self, stages: PipelineStages, tasks: BackgroundTasks, turns: TurnCounter, session: AskedSession
    ) -> None:
        self._stages, self._tasks, self._turns, self._session = stages, tasks, turns, session

    def open(self, transcriber: StreamingTranscriber) -> SpokenTurn:
        """Somebody begins to speak: from now on it is transcribed, and an answer is prepared."""
        utterance = Utterance(self._turns.next(), item_name(), transcriber)
        turn = utterance.turn
        listening = self._tasks.start(f"{turn}:asr", self._listen, utterance)
        answering = self._tasks.start(f"{turn}", self._answer, utterance)
        return SpokenTurn(utterance, listening, answering)

    async def _listen(self, utterance: Utterance) -> None:
        if self._stages.recogniser is None:
            return
        async with aclosing(utterance.transcription(self._stages.recogniser)) as events:
            async for event in events:
                self._session.emit(event)

    async def _answer(self, utterance: Utterance) -> None:
        try:
            await run_turn(utterance.turn, self._contexts(utterance), self._stages, utterance.output)
        finally:
            if early := utterance.output.early_answers:
                self._session.emit(EarlyAnswersEnded(utterance.item_id, early["adopted"], early["discarded"]))

    async def _contexts(self, utterance: Utterance) -> AsyncGenerator[TurnContext, None]:
        """What may be asked, anew each time that more was made out."""
        stages, session = self._stages, self._session
        heard_of = utterance.silences() if stages.answers_sound else utterance.hypotheses(stages.early_answer_ms)
        async with aclosing(heard_of) as hypotheses:
            async for heard in hypotheses:
                if session.answering and not (utterance.request or utterance.transcriber.certain):
                    heard = Hypothesis("")  # of what is said over another answer only the certain end tells anything
                context = utterance.context(session.history, session.options.response_options, heard)
                yield replace(context, asked_at=stages.clock())
