"""From sound to utterances: opens one when a person speaks, closes it when they have finished."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pipeline.errors import RequestError
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.speech.end_of_turn import EndWitnesses, wait_ms
from pipeline.speech.sentences.sentence_words import is_marked, unfinished, words_over
from pipeline.speech.speech_events import (
    SpeechEvent,
    UtteranceBegan,
    UtteranceEnded,
    UtteranceForgotten,
    UtterancePaused,
    UtteranceResumed,
    UtteranceSettled,
)
from pipeline.speech.speech_window import PRE_ROLL_MS
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.utterance_sound import UtteranceSound
from pipeline.speech.vad_frontend import FRAME, NO_SOUND, Pcm, VadFrame, VadFrontend, VoiceActivityDetector
from pipeline.speech.voice_activity import FRAME_MS, VoiceActivityChange
from pipeline.types.session_options import SessionOptions

LEAST_COMMIT_MS = 100
FORGET_NOISE_MS = 2_000  # of silence after a sound in which no words were heard
PARTIAL_MS = 800  # of new sound, at the most, before a running utterance is looked at again
RECENT_MS = 8_000  # of an utterance, by which its end is judged


class InputAudioBuffer:
    """One caller's side of the conversation, as sound. Its methods return what changed, in order.

    Args:
        transcribes: There is a recogniser.
        hears: Who answers hears the question itself, whose sound is kept.
    """

    def __init__(self, detector: VoiceActivityDetector, *, transcribes: bool = True, hears: bool = False) -> None:
        self._transcribes, self._hears = transcribes, hears
        self._options = SessionOptions()
        self._vad = VadFrontend(detector, self._options.endpointing)
        self._pre_roll: deque[Pcm] = deque(maxlen=PRE_ROLL_MS // FRAME_MS)
        self._samples = 0  # of all that was appended, up to the last whole frame
        self._committed_samples = 0
        self._silence_ms = 0
        self._transcriber: StreamingTranscriber | None = None
        self._recent: deque[Pcm] = deque(maxlen=RECENT_MS // FRAME_MS)
        self._sound_over: float | None = None
        self._writes_marks = False  # the recogniser has ended a sentence with one
        self._client_detects = False  # it has said when somebody starts to speak
        self._client_hears_nobody = False

    def configure(self, options: SessionOptions) -> None:
        self._options = options
        self._vad.configure(options.endpointing)

    async def append(self, pcm: Pcm) -> list[SpeechEvent]:
        """Take sound as it comes, cut anywhere: float32, 16 kHz mono."""
        if self._options.detection and self._transcriber:
            self._vad.configure(replace(self._options.endpointing, end_ms=self._end_ms(self._transcriber)))
        return [event for frame in await self._vad.append(pcm, judge=self._judges) for event in self._frame(frame)]

    @property
    def recent(self) -> Pcm:
        """The newest sound of the utterance, its pauses included: float32, 16 kHz mono, at most 8 s."""
        return np.concatenate([*self._recent]) if self._recent else NO_SOUND

    def judged(self, probability: float) -> None:
        """By how the utterance sounds up to this pause it is over with that probability."""
        self._sound_over = probability

    def activity(self, speaking: bool, audio_ms: int | None = None) -> list[SpeechEvent]:
        """The caller's own voice activity detection says that the person starts or pauses.

        Args:
            audio_ms: When, in the sound that was appended; by default at its end.
        """
        self._client_detects |= speaking
        self._client_hears_nobody = self._client_detects and not speaking
        if speaking:
            return [*self._change(VoiceActivityChange.RESUMED if self._transcriber else VoiceActivityChange.STARTED)]
        if self._transcriber is None:
            return []
        if self._transcriber.speaking:
            return [*self._pause(self._transcriber, 0 if audio_ms is None else max(0, self._audio_ms - audio_ms))]
        # They are told what was heard, even if it was all told before: they cannot know that it holds for the sound
        # up to their own pause.
        return [UtteranceSettled(self._transcriber.newest)] if self._transcriber.newest.settled else []

    def commit(self) -> StreamingTranscriber:
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
        if self._transcriber and len(rest):
            self._transcriber.add(rest, voiced=False)
        transcriber = self._transcriber or self._new_transcriber()  # nobody has spoken: a new one has no sound
        transcriber.commit()
        self._forget()
        return transcriber

    def clear(self) -> list[SpeechEvent]:
        """Forget the sound since the last commit."""
        spoken = self._transcriber is not None
        self._forget()
        return [UtteranceForgotten()] if spoken else []

    @property
    def _judges(self) -> bool:
        """Voice activity detection finds beginnings, lulls, pauses and ends. Of a caller who has their own it is not
        asked while they hear nobody and no utterance is open: it would find nothing that holds."""
        return bool(self._options.detection or self._transcriber or not self._client_hears_nobody)

    @property
    def _audio_ms(self) -> int:
        return self._samples * 1000 // SPEECH_RATE

    def _end_ms(self, transcriber: StreamingTranscriber) -> int | None:
        """Silence that ends the utterance, as it stands now."""
        end_ms, detection = self._options.endpointing.end_ms, self._options.detection
        if end_ms is None or not (detection and detection.semantic):
            return end_ms
        newest = transcriber.newest
        known = self._sound_over is None or newest.settled
        if not known:
            return wait_ms(end_ms, EndWitnesses(self._sound_over))
        words = newest.text, newest.language
        self._writes_marks = self._writes_marks or is_marked(newest.text)
        sentence_end = newest.sentence_end if self._writes_marks else None
        return wait_ms(end_ms, EndWitnesses(self._sound_over, words_over(*words), unfinished(*words), sentence_end))

    def _frame(self, frame: VadFrame) -> Iterator[SpeechEvent]:
        if frame.change is VoiceActivityChange.STARTED:
            yield from self._change(VoiceActivityChange.STARTED)
        self._samples += FRAME
        if self._transcriber:
            self._transcriber.add(frame.pcm, voiced=frame.voiced)
            self._recent.append(frame.pcm)
            yield from self._forget_noise(self._transcriber)
        else:
            self._pre_roll.append(frame.pcm)
        if frame.change and frame.change is not VoiceActivityChange.STARTED:
            yield from self._change(frame.change)

    def _change(self, change: VoiceActivityChange) -> Iterator[SpeechEvent]:
        transcriber = self._transcriber
        match change:
            case VoiceActivityChange.STARTED if transcriber is None:
                yield self._open()
            case VoiceActivityChange.STARTED | VoiceActivityChange.RESUMED if transcriber:
                paused = not transcriber.speaking
                transcriber.resume()
                self._sound_over = None
                if paused:
                    yield UtteranceResumed()
            case VoiceActivityChange.PAUSED if transcriber:
                yield from self._pause(transcriber, self._vad.endpointing.pause_ms)
            case VoiceActivityChange.ENDED if transcriber:
                yield from self._pause(transcriber, self._vad.endpointing.end_ms or 0)
                transcriber.commit()
                ended = UtteranceEnded(self._audio_ms)
                self._forget()
                yield ended

    def _pause(self, transcriber: StreamingTranscriber, silent_ms: int) -> Iterator[SpeechEvent]:
        if transcriber.speaking:
            before = transcriber.newest
            transcriber.pause(silent_ms)
            yield UtterancePaused(silent_ms)
            if transcriber.newest != before:
                yield UtteranceSettled(transcriber.newest)

    def _open(self) -> SpeechEvent:
        transcriber = self._transcriber = self._new_transcriber()
        began_ms = self._audio_ms - len(self._pre_roll) * FRAME_MS
        for pcm in self._pre_roll:
            transcriber.add(pcm)
        self._recent.extend(self._pre_roll)
        self._pre_roll.clear()
        return UtteranceBegan(transcriber, began_ms)

    def _new_transcriber(self) -> StreamingTranscriber:
        response_options = self._options.response_options
        return StreamingTranscriber(
            response_options.language,
            PARTIAL_MS if self._options.partials else None,
            response_options.context,
            UtteranceSound() if self._hears else None,
            transcribes=self._transcribes,
        )

    def _forget_noise(self, transcriber: StreamingTranscriber) -> Iterator[SpeechEvent]:
        """A cough is not the beginning of the next question (a client's turn detection never sees it)."""
        if self._options.detection or not transcriber.is_noise:
            self._silence_ms = 0
            return
        self._silence_ms += FRAME_MS
        if self._silence_ms >= FORGET_NOISE_MS:
            self._rest()
            yield UtteranceForgotten()

    def _forget(self) -> None:
        self._samples += len(self._vad.rest)
        self._committed_samples = self._samples
        self._pre_roll.clear()
        self._rest()

    def _rest(self) -> None:
        self._transcriber = None
        self._recent.clear()
        self._sound_over = None
        self._silence_ms = 0
        self._vad.reset()
