"""From sound to utterances: opens one when a person speaks, closes it when they have finished."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from pipeline.errors import RequestError
from pipeline.speech.streaming_transcriber import PRE_ROLL_MS
from pipeline.speech.utterance import Utterance
from pipeline.speech.vad_frontend import FRAME, Pcm, VadFrame, VadFrontend, VoiceActivityDetector
from pipeline.speech.voice_activity import FRAME_MS, VoiceActivityChange
from pipeline.types.chunks import SPEECH_RATE
from pipeline.types.session_events import InputCleared, SessionEvent, SpeechStarted, SpeechStopped
from pipeline.types.session_options import SessionOptions

LEAST_COMMIT_MS = 100
FORGET_NOISE_MS = 2_000  # of silence after a sound in which no words were heard


class InputAudioBuffer:
    """One caller's side of the conversation, as sound.

    Args:
        begin: Makes the utterance that opens now.
        drop: Ends an utterance that is not to be answered.
        ended: The session's own turn detection says that the person has finished.
    """

    def __init__(
        self,
        detector: VoiceActivityDetector,
        begin: Callable[[], Utterance],
        drop: Callable[[Utterance], None],
        ended: Callable[[], None],
        emit: Callable[[SessionEvent], None],
    ) -> None:
        self._options = SessionOptions()
        self._vad = VadFrontend(detector, self._options.endpointing)
        self._begin, self._drop, self._ended, self._emit = begin, drop, ended, emit
        self._pre_roll: deque[Pcm] = deque(maxlen=PRE_ROLL_MS // FRAME_MS)
        self._samples = 0  # of all that was appended, up to the last whole frame
        self._committed_samples = 0
        self._silence_ms = 0
        self.utterance: Utterance | None = None

    def configure(self, options: SessionOptions) -> None:
        self._options = options
        self._vad.activity.endpointing = options.endpointing

    async def hear(self, pcm: Pcm) -> None:
        """float32, 16 kHz mono, as much as has come."""
        if self._options.detection and self.utterance:
            end_ms = self._options.detection.end_ms(self.utterance.transcriber.newest.text)
            self._vad.activity.endpointing = replace(self._options.endpointing, end_ms=end_ms)
        for frame in await self._vad.hear(pcm):
            self._frame(frame)

    def activity(self, speaking: bool, audio_ms: int | None = None) -> None:
        """The caller's own voice activity detection says that the person starts or pauses.

        Args:
            audio_ms: When, in the sound that was appended; by default at its end.
        """
        if speaking:
            self._change(VoiceActivityChange.RESUMED if self.utterance else VoiceActivityChange.STARTED)
        elif self.utterance:
            self.utterance.fall_silent(0 if audio_ms is None else max(0, self._audio_ms - audio_ms))

    def commit(self) -> Utterance:
        """The utterance so far is complete; returns it, and listens for the next.

        Raises:
            RequestError: Less than 100 ms of sound has come since the last commit.
        """
        rest = self._vad.rest
        duration_ms = (self._samples + len(rest) - self._committed_samples) * 1000 // SPEECH_RATE
        if duration_ms < LEAST_COMMIT_MS:
            raise RequestError(
                "input_audio_buffer_commit_empty",
                f"the input audio buffer holds {duration_ms} ms, at least {LEAST_COMMIT_MS} ms are needed",
            )
        if self.utterance and len(rest):
            self.utterance.transcriber.add(rest, voiced=False)
        utterance = self.utterance or self._begin()  # a new one has nothing to transcribe: nobody has spoken
        utterance.transcriber.commit()
        self._forget()
        return utterance

    def clear(self) -> None:
        """Forget the sound since the last commit."""
        if self.utterance:
            self._drop(self.utterance)
        self._forget()
        self._emit(InputCleared())

    @property
    def _audio_ms(self) -> int:
        return self._samples * 1000 // SPEECH_RATE

    def _frame(self, frame: VadFrame) -> None:
        if frame.change is VoiceActivityChange.STARTED:
            self._change(VoiceActivityChange.STARTED)
        self._samples += FRAME
        if self.utterance:
            self.utterance.transcriber.add(frame.pcm, voiced=frame.voiced)
            self._forget_noise()
        else:
            self._pre_roll.append(frame.pcm)
        if frame.change and frame.change is not VoiceActivityChange.STARTED:
            self._change(frame.change)

    def _change(self, change: VoiceActivityChange) -> None:
        match change:
            case VoiceActivityChange.STARTED if self.utterance is None:
                self._open()
            case VoiceActivityChange.STARTED | VoiceActivityChange.RESUMED if self.utterance:
                self.utterance.resume()
            case VoiceActivityChange.PAUSED if self.utterance:
                self.utterance.pause(self._vad.activity.endpointing.pause_ms)
            case VoiceActivityChange.ENDED if self.utterance:
                self.utterance.pause(self._vad.activity.endpointing.end_ms or 0)
                if self._options.detection:
                    self._emit(SpeechStopped(self.utterance.item_id, self._audio_ms))
                self._ended()

    def _open(self) -> None:
        self.utterance = self._begin()
        if self._options.detection:
            start_ms = self._audio_ms - len(self._pre_roll) * FRAME_MS
            self._emit(SpeechStarted(self.utterance.item_id, start_ms))
        for pcm in self._pre_roll:
            self.utterance.transcriber.add(pcm)
        self._pre_roll.clear()

    def _forget_noise(self) -> None:
        """A cough is not the beginning of the next question (a client's turn detection never sees it)."""
        if self.utterance is None or self._options.detection or not self.utterance.transcriber.is_noise:
            self._silence_ms = 0
            return
        self._silence_ms += FRAME_MS
        if self._silence_ms >= FORGET_NOISE_MS:
            self._drop(self.utterance)
            self._rest()

    def _forget(self) -> None:
        self._samples += len(self._vad.rest)
        self._committed_samples = self._samples
        self._pre_roll.clear()
        self._rest()

    def _rest(self) -> None:
        self.utterance = None
        self._silence_ms = 0
        self._vad.reset()
