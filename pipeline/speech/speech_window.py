"""The sound of an utterance that is not settled yet, and where in it somebody speaks. Pure."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.segmentation import quietest
from pipeline.speech.voice_activity import FRAME_MS

Pcm = NDArray[np.float32]

PRE_ROLL_MS = 512  # of sound before speech was noticed
LULL_MS = 96  # of silence that may become a pause; before it the last sounds of a word may be too soft for speech
KEPT_SILENCE_MS = 600  # of a pause inside an utterance; more tells the recogniser nothing
LONG_WINDOW_MS = 20_000  # past it a settled transcript is kept, and the window starts anew
FULL_WINDOW_MS = 28_000  # past it the transcript of running speech is kept too: a recogniser's window has an end
LONGEST_WINDOW_MS = 28_500  # that every recogniser takes at once; of more, a part is read first


class SpeechWindow:
    """Grows while the person speaks, and begins anew behind what stands. Places in it are counted in samples.

    Args:
        keeps: False: nobody reads it, and no sound is kept.

    Attributes:
        before: How much was in front of it.
        samples: How much it holds.
        speech_end: Where the last ends that may be speech.
        lull_end: Where the newest silence of `LULL_MS` ends; 0: there has been none.
        speaking: The person speaks.
    """

    def __init__(self, *, keeps: bool) -> None:
        self.before = self.samples = self.speech_end = self.lull_end = 0
        self.speaking = True
        self._keeps = keeps
        self._frames: list[Pcm] = []
        self._left_out: deque[Pcm] = deque(maxlen=PRE_ROLL_MS // FRAME_MS)  # the newest of a long pause
        self._silence = 0
        self._quiet = 0  # samples since speech, while the person speaks

    @property
    def ms(self) -> int:
        return milliseconds(self.samples)

    @property
    def is_quiet(self) -> bool:
        """The person speaks, and the newest frame is no speech."""
        return self._quiet > 0

    @property
    def in_lull(self) -> bool:
        return self._quiet >= samples_in(LULL_MS)

    def pcm(self, end: int) -> Pcm:
        """What it holds up to there: float32, 16 kHz mono."""
        return np.concatenate(self._frames)[:end]

    def readable(self, end: int) -> int:
        """How much of what it holds up to there a recogniser takes: all, or a part that ends where it is quietest."""
        if milliseconds(end) <= LONGEST_WINDOW_MS:
            return end
        self._frames = [np.concatenate(self._frames)]  # once, and not for each part of it
        return quietest(self._frames[0], samples_in(LONG_WINDOW_MS), samples_in(FULL_WINDOW_MS))

    def add(self, frame: Pcm, *, voiced: bool) -> bool:
        """Takes a frame in, and returns whether it is kept: of a long pause only the beginning and the end are."""
        if not self.speaking:
            self._silence += len(frame)
            if self._silence > samples_in(KEPT_SILENCE_MS):
                self._left_out.append(frame)
                return False
        if self._keeps:
            self._frames.append(frame)
        self.samples += len(frame)
        if self.speaking:
            was_lull = self.in_lull
            self._quiet = 0 if voiced else self._quiet + len(frame)
            if not self.in_lull:
                self.speech_end = self.samples
            elif not was_lull:
                self.lull_end = self.samples
        return True

    def resume(self) -> list[Pcm]:
        """The person speaks (again), and has done so for some of the newest sound: returns what is to be added now."""
        self.speaking, self._silence, self._quiet = True, 0, 0
        self.speech_end = self.samples
        again = [*self._left_out]
        self._left_out.clear()
        return again

    def pause(self, silent_ms: int) -> None:
        """The person is silent, and has been for `silent_ms`."""
        if self.speaking:
            self.speech_end = max(self.speech_end, self.samples - samples_in(silent_ms))
        self.speaking = False

    def fall_silent(self) -> None:
        """Nobody knows since when the person is silent."""
        self.speaking = False

    def begin_at(self, place: int) -> None:
        """What is in front of that place stands, and is not needed any more."""
        if self._keeps:
            self._frames = [np.concatenate(self._frames)[place:]]
        self.before += place
        self.samples -= place
        self.speech_end = max(0, self.speech_end - place)
        self.lull_end = max(0, self.lull_end - place)

    def give_up(self) -> None:
        """Nobody will read it."""
        self._keeps = False
        self._frames.clear()
        self._left_out.clear()


def milliseconds(samples: int) -> int:
    return samples * 1000 // SPEECH_RATE


def samples_in(ms: int) -> int:
    return ms * SPEECH_RATE // 1000
