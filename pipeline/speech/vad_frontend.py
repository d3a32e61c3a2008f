"""Cuts a caller's sound into frames and says of each what it changed."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.speech.voice_activity import FRAME_MS, VoiceActivity, VoiceActivityChange
from pipeline.types.session_options import Endpointing

FRAME = SPEECH_RATE * FRAME_MS // 1000

Pcm = NDArray[np.float32]

REMEMBERED_MS = 512  # of sound that nobody spoke in, for a detector that has not heard it

NO_SOUND: Pcm = np.zeros(0, np.float32)


class VoiceActivityDetector(Protocol):
    """Voice activity detection on one stream of sound, with state."""

    async def feed(self, pcm: Pcm) -> list[float]:
        """Speech probabilities of the frames (512 samples, 16 kHz) that `pcm` completes."""
        ...


class DetectorFactory(Protocol):
    """Makes a detector for each caller."""

    def __call__(self) -> VoiceActivityDetector: ...


@runtime_checkable
class Closeable(Protocol):
    """Has something that is to be given back when all its callers have gone."""

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class VadFrame:
    """32 ms of sound, whether it is speech, and whether a person starts, pauses or ends with it."""

    pcm: Pcm
    voiced: bool
    change: VoiceActivityChange | None


class VadFrontend:
    """One caller's voice activity.

    Attributes:
        rest: The sound of a frame that has begun.
    """

    def __init__(self, detector: VoiceActivityDetector, endpointing: Endpointing) -> None:
        self._detector = detector
        self.rest = NO_SOUND
        self._activity = VoiceActivity(endpointing)
        self._unjudged: deque[Pcm] = deque(maxlen=REMEMBERED_MS // FRAME_MS)

    @property
    def endpointing(self) -> Endpointing:
        return self._activity.endpointing

    def configure(self, endpointing: Endpointing) -> None:
        self._activity.configure(endpointing)

    async def append(self, pcm: Pcm, *, judge: bool = True) -> Iterator[VadFrame]:
        """The frames that `pcm` (float32, 16 kHz mono) completes; the rest waits for more.

        Each is judged as it is taken, so that what is done about one (a turn ends) holds for the next.

        Args:
            judge: False: it is known that nobody speaks. It costs nothing, and is remembered for what comes next.
        """
        whole = np.concatenate([self.rest, pcm]) if len(self.rest) else pcm
        samples = len(whole) // FRAME * FRAME
        frames, rest = whole[:samples].reshape(-1, FRAME), whole[samples:]
        if not judge:
            self._unjudged.extend(frames)
        if not (judge and samples):
            self.rest = rest
            return (VadFrame(frame, voiced=False, change=None) for frame in frames)
        sound, known = whole[:samples], len(self._unjudged)
        if known:
            sound = np.concatenate([*self._unjudged, sound])
            self._unjudged.clear()
        probabilities = await self._detector.feed(sound)
        return self._frames(frames, probabilities[known:], rest)

    def reset(self) -> None:
        """The turn was ended by somebody else: activity begins anew, and the rest is given up."""
        self._activity.reset()
        self.rest = NO_SOUND

    def _frames(self, frames: Pcm, probabilities: list[float], rest: Pcm) -> Iterator[VadFrame]:
        self.rest = NO_SOUND
        for frame, probability in zip(frames, probabilities, strict=True):
            change = self._activity.feed(probability)
            yield VadFrame(frame, self._activity.voiced, change)
        self.rest = rest
