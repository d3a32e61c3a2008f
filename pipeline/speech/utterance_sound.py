"""Keeps the sound of one utterance for a model that hears the question itself."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.spoken_sound import SpokenSound

MOST_SOUND_S = 60  # of one utterance; of a longer one the end is kept, where the question is


class UtteranceSound:
    """The frames of an utterance, in order; the oldest go when there are too many."""

    def __init__(self, most_s: int = MOST_SOUND_S) -> None:
        self._frames: deque[NDArray[np.float32]] = deque()
        self._kept = self._gone = 0  # samples
        self._most = most_s * SPEECH_RATE

    @property
    def samples(self) -> int:
        """How many have come."""
        return self._gone + self._kept

    def add(self, frame: NDArray[np.float32]) -> None:
        """float32, 16 kHz mono."""
        self._frames.append(frame)
        self._kept += len(frame)
        while self._kept - len(self._frames[0]) >= self._most:
            gone = len(self._frames.popleft())
            self._kept, self._gone = self._kept - gone, self._gone + gone

    def until(self, samples: int, name: str) -> SpokenSound | None:
        """What has come up to there; None: nothing of it is there."""
        if samples <= self._gone:
            return None
        pcm = np.concatenate(self._frames)[: samples - self._gone]
        return SpokenSound(name, samples, pcm)
