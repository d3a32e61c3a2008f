"""A microphone that says what it is given, in real time, and faint noise otherwise."""

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from livekit import rtc

from infra.bench.base.speech import RATE, Sound

FRAME_S = 0.02
FRAME = int(RATE * FRAME_S)
FAINT = 2.0  # standard deviation of an idle microphone's noise, in 16-bit samples


@dataclass(frozen=True, slots=True)
class SpokenUtterance:
    """What is being said. Both futures give moments on the loop's clock, at which it leaves the microphone."""

    frames: Iterator[Sound]
    began: asyncio.Future[float]
    ended: asyncio.Future[float]


class Microphone:
    """Feeds an audio source for as long as `run` does.

    Who comes late does not hurry after it: the source would hold what came in a burst, and send all that follows so
    much later, to the end of the call.
    """

    def __init__(self) -> None:
        self.source = rtc.AudioSource(RATE, 1, queue_size_ms=200)
        self._waiting: deque[SpokenUtterance] = deque()
        self._noise = np.random.default_rng(0)

    def say(self, sound: Sound) -> SpokenUtterance:
        """Say it after all that was given before."""
        loop = asyncio.get_running_loop()
        frames = -(-len(sound) // FRAME)
        padded = np.pad(sound, (0, frames * FRAME - len(sound))).reshape(frames, FRAME)
        utterance = SpokenUtterance(iter(padded), loop.create_future(), loop.create_future())
        self._waiting.append(utterance)
        return utterance

    async def run(self) -> None:
        clock = asyncio.get_running_loop().time
        due = clock()
        while True:
            samples = self._next(clock() + self.source.queued_duration)
            await self.source.capture_frame(rtc.AudioFrame(samples.tobytes(), RATE, 1, FRAME))
            due = max(due + FRAME_S, clock())
            await asyncio.sleep(due - clock())

    def _next(self, leaves: float) -> Sound:
        while self._waiting:
            utterance = self._waiting[0]
            if not utterance.began.done():
                utterance.began.set_result(leaves)
            for frame in utterance.frames:
                return frame
            utterance.ended.set_result(leaves)
            self._waiting.popleft()
        return self._noise.normal(0, FAINT, FRAME).astype(np.int16)
