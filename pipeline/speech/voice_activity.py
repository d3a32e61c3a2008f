"""Decides from speech probabilities when a person starts, pauses and has finished. Pure."""

from enum import Enum

from pipeline.types.session_options import Endpointing

FRAME_MS = 32  # of one probability, as Silero VAD gives them
SOFTER = 0.15  # by how much speech that goes on may be less probable than speech that starts; Silero VAD's own figure


class VoiceActivityChange(Enum):
    """What a frame of sound changed."""

    STARTED = "started"  # speech begins
    PAUSED = "paused"  # silent long enough to be worth a look at what was said
    RESUMED = "resumed"  # speech goes on after a pause
    ENDED = "ended"  # silent long enough to take the turn


class VoiceActivity:
    """Follows one stream of sound."""

    def __init__(self, endpointing: Endpointing) -> None:
        self._endpointing = endpointing
        self._speaking = False
        self._paused = False
        self._loud_ms = 0
        self._quiet_ms = 0

    @property
    def voiced(self) -> bool:
        """The newest frame is speech."""
        return self._loud_ms > 0

    @property
    def endpointing(self) -> Endpointing:
        return self._endpointing

    def configure(self, endpointing: Endpointing) -> None:
        self._endpointing = endpointing

    def feed(self, probability: float) -> VoiceActivityChange | None:
        """Take the next frame's speech probability; at most one thing changes with a frame."""
        threshold = self.endpointing.threshold
        ongoing = self._speaking and not self._paused
        if probability >= (max(threshold - SOFTER, threshold / 2) if ongoing else threshold):
            self._loud_ms, self._quiet_ms = self._loud_ms + FRAME_MS, 0
        else:
            self._loud_ms, self._quiet_ms = 0, self._quiet_ms + FRAME_MS
        return self._started() if not ongoing and self._loud_ms else self._stopped()

    def reset(self) -> None:
        """The turn was ended by somebody else."""
        self._speaking = self._paused = False
        self._loud_ms = self._quiet_ms = 0

    def _started(self) -> VoiceActivityChange | None:
        if self._loud_ms < self.endpointing.onset_ms:
            return None
        change = VoiceActivityChange.RESUMED if self._speaking else VoiceActivityChange.STARTED
        self._speaking, self._paused = True, False
        return change

    def _stopped(self) -> VoiceActivityChange | None:
        if not self._speaking:
            return None
        end_ms = self.endpointing.end_ms
        if end_ms is not None and self._quiet_ms >= end_ms:
            self.reset()
            return VoiceActivityChange.ENDED
        if not self._paused and self._quiet_ms >= self.endpointing.pause_ms:
            self._paused = True
            return VoiceActivityChange.PAUSED
        return None
