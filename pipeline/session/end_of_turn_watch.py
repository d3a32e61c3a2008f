"""Has the model judge each pause of a caller, and tells what it says while that pause lasts."""

import asyncio
import logging

from pipeline.aio.tasks import BackgroundTasks
from pipeline.errors import EngineError
from pipeline.session.utterance import Utterance
from pipeline.speech.end_of_turn import EndOfTurnModel
from pipeline.speech.input_audio_buffer import InputAudioBuffer
from pipeline.types.events.event_sink import EventSink
from pipeline.types.events.input_events import EndOfTurnJudged
from pipeline.types.session_options import SessionOptions

log = logging.getLogger(__name__)


class EndOfTurnWatch:
    """Asks for callers whose turns end by meaning, and for those who want to know everything that is heard of them."""

    def __init__(
        self, model: EndOfTurnModel | None, buffer: InputAudioBuffer, tasks: BackgroundTasks, sink: EventSink
    ) -> None:
        self._model = model
        self._buffer = buffer
        self._tasks = tasks
        self._sink = sink
        self._judging: asyncio.Task[None] | None = None

    def pause(self, utterance: Utterance, options: SessionOptions) -> None:
        """The person is silent: what they have said so far is judged."""
        self.drop()
        semantic = options.detection is not None and options.detection.semantic
        if self._model and (semantic or options.partials):
            name = f"{utterance.turn}:end"
            self._judging = self._tasks.start(name, self._judge, self._model, utterance, options.partials)

    def drop(self) -> None:
        """The pause is over: what is found of it means nothing any more."""
        if self._judging:
            self._judging.cancel()
            self._judging = None

    async def _judge(self, model: EndOfTurnModel, utterance: Utterance, told: bool) -> None:
        try:
            probability = await model.judge(self._buffer.recent)
        except EngineError:
            log.warning("the end of a turn could not be judged by its sound", extra={"turn": str(utterance.turn)})
            return
        self._buffer.judged(probability)
        if told:
            self._sink.emit(EndOfTurnJudged(utterance.item_id, probability))
