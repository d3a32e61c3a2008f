"""Cuts a caller's sound into frames and says of each what it changed."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.activity import FRAME_MS, Activity, Change, Endpointing
from pipeline.chunks import SPEECH_RATE

FRAME = SPEECH_RATE * FRAME_MS // 1000

Pcm = NDArray[np.float32]


class Detector(Protocol):
    """Voice activity detection on one stream of sound, with state."""

    async def feed(self, pcm: Pcm) -> list[float]:
        """Speech probabilities of the frames (512 samples, 16 kHz) that `pcm` completes."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """32 ms of sound, and whether a person starts, pauses or ends with it."""

    pcm: Pcm
    change: Change | None


class Ears:
    """One caller's voice activity."""

    def __init__(self, detector: Detector, endpointing: Endpointing) -> None:
        self._detector = detector
        self._rest: Pcm = np.zeros(0, np.float32)
        self.activity = Activity(endpointing)

    async def hear(self, pcm: Pcm) -> list[Frame]:
        """The frames that `pcm` (float32, 16 kHz mono) completes; the rest waits for more."""
        whole = np.concatenate([self._rest, pcm])
        count = len(whole) // FRAME
        frames, self._rest = whole[: count * FRAME].reshape(count, FRAME), whole[count * FRAME :]
        if not count:
            return []
        probabilities = await self._detector.feed(frames.reshape(-1))
        return [Frame(pcm, self.activity.feed(p)) for pcm, p in zip(frames, probabilities, strict=True)]

    def rest(self) -> Pcm:
        """The sound of the frame that has begun; it is given up here."""
        rest, self._rest = self._rest, np.zeros(0, np.float32)
        return rest
