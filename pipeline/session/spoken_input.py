"""What a caller says: their sound becomes utterances, one at a time, and each that is complete an item."""

from collections.abc import Iterable
from typing import Protocol

from pipeline.aio.tasks import BackgroundTasks
from pipeline.context.conversation import Conversation
from pipeline.session.end_of_turn_watch import EndOfTurnWatch
from pipeline.session.pending_input import PendingInput
from pipeline.session.spoken_turn import AskedSession, SpokenTurn, SpokenTurnRunner
from pipeline.speech.end_of_turn import EndOfTurnModel
from pipeline.speech.input_audio_buffer import InputAudioBuffer
from pipeline.speech.speech_events import (
    SpeechEvent,
    UtteranceBegan,
    UtteranceEnded,
    UtteranceForgotten,
    UtterancePaused,
    UtteranceResumed,
    UtteranceSettled,
)
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.vad_frontend import Pcm, VoiceActivityDetector
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.events.input_events import InputCommitted, ItemAdded, SpeechStarted, SpeechStopped
from pipeline.types.events.response_events import CancelReason
from pipeline.types.session_options import SessionOptions
from pipeline.vision.vision_controller import VisionController


class HearingSession(AskedSession, Protocol):
    """What speech finds and changes in its session: `Session`."""

    conversation: Conversation
    vision: VisionController | None

    def cancel(self, response_id: str | None = None, reason: CancelReason = "client_cancelled") -> None: ...

    def look_up(self) -> None:
        """What is said now is about what has been seen until now."""
        ...

    def answer_owed(self) -> bool:
        """Answer what is owed an answer, if it is time; returns whether that is begun."""
        ...

    def has_changed(self) -> None:
        """Somebody begins to speak, pauses, goes on or has finished."""
        ...


class SpokenInput:
    """Follows what voice activity detection and endpointing notice, utterance after utterance.

    Whoever begins to speak may interrupt the answer. While they pause it is judged whether they have finished. What
    the session's own turn detection calls complete is owed an answer; what the caller commits is not.

    Args:
        end_model: Judges by their sound whether turns are over; None: nothing does.
        pending: Is given what was said, to be answered.
    """

    def __init__(
        self,
        stages: PipelineStages,
        detector: VoiceActivityDetector,
        end_model: EndOfTurnModel | None,
        pending: PendingInput,
        tasks: BackgroundTasks,
        turns: TurnCounter,
        session: HearingSession,
    ) -> None:
        self._stages, self._pending, self._tasks, self._session = stages, pending, tasks, session
        transcribes = stages.recogniser is not None
        self._buffer = InputAudioBuffer(detector, transcribes=transcribes, hears=stages.hears)
        self._end_watch = EndOfTurnWatch(end_model, self._buffer, tasks, session)
        self._turns = SpokenTurnRunner(stages, tasks, turns, session)
        self._speaking: SpokenTurn | None = None

    @property
    def speaking(self) -> SpokenTurn | None:
        """The utterance that is not complete; None: nobody speaks."""
        return self._speaking

    def configure(self, options: SessionOptions) -> None:
        """How to hear from now on."""
        self._buffer.configure(options)

    async def append(self, pcm: Pcm) -> None:
        """Take sound as it comes, cut anywhere: float32, 16 kHz mono."""
        self._follow(await self._buffer.append(pcm))

    def activity(self, speaking: bool, audio_ms: int | None = None) -> None:
        """The caller's own voice activity detection says that the person starts or pauses.

        Args:
            audio_ms: When, in the sound that was appended; by default at its end.
        """
        self._follow(self._buffer.activity(speaking, audio_ms))

    def clear(self) -> None:
        """Forget the sound since the last commit."""
        self._follow(self._buffer.clear())

    def commit(self) -> str:
        """The utterance so far becomes an item; returns its id.

        Raises:
            RequestError: There is too little sound.
        """
        transcriber = self._buffer.commit()
        return self._complete(self._speaking or self._open(transcriber))

    def _follow(self, events: Iterable[SpeechEvent]) -> None:
        for event in events:
            if isinstance(event, UtteranceResumed | UtteranceEnded | UtteranceForgotten):
                self._end_watch.drop()
            match event, self._speaking:
                case UtteranceBegan(transcriber, audio_ms), _:
                    self._begin(transcriber, audio_ms)
                case UtteranceResumed(), _ if self._session.vision:
                    self._session.vision.resume()
                case UtterancePaused(silent_ms), SpokenTurn(utterance):
                    utterance.pause(silent_ms)
                    self._end_watch.pause(utterance, self._session.options)
                    if self._session.vision:
                        self._session.vision.rest()
                case UtteranceSettled(hypothesis), SpokenTurn(utterance):
                    self._session.emit(utterance.partial(hypothesis))
                case UtteranceEnded(audio_ms), SpokenTurn(utterance) as spoken:
                    self._session.emit(SpeechStopped(utterance.item_id, audio_ms))
                    self._session.look_up()
                    self._pending.owe(self._complete(spoken))
                    self._session.answer_owed()
                case UtteranceForgotten(), SpokenTurn(utterance) as spoken:
                    self._tasks.stop(f"{utterance.turn}:drop", [spoken.listening, spoken.answering])
                    self._speaking = None
            self._session.has_changed()

    def _begin(self, transcriber: StreamingTranscriber, audio_ms: int) -> None:
        spoken = self._open(transcriber)
        if detection := self._session.options.detection:
            self._session.emit(SpeechStarted(spoken.utterance.item_id, audio_ms))
            if self._session.answering and detection.interrupts:
                self._session.cancel(reason="turn_detected")

    def _open(self, transcriber: StreamingTranscriber) -> SpokenTurn:
        self._pending.drop()
        self._speaking = self._turns.open(transcriber)
        if self._session.vision:
            self._session.vision.speech()
        return self._speaking

    def _complete(self, spoken: SpokenTurn) -> str:
        """It becomes an item; returns the item's id."""
        utterance, conversation = spoken.utterance, self._session.conversation
        utterance.commit()
        self._end_watch.drop()
        self._speaking = None
        self._pending.said(spoken)
        item = utterance.item(as_sound=self._stages.answers_sound)
        previous = conversation.add(item)
        conversation.forget_sound(self._stages.limits, slack=2.0)  # at rest it has been done when the last answer ended
        self._session.emit(InputCommitted(item.id, previous))
        self._session.emit(ItemAdded(item, previous))
        self._session.has_changed()
        return item.id
