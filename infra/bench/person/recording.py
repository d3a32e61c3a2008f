"""What comes out of the agent, kept with its times."""

import asyncio
from collections import deque
from dataclasses import dataclass

import numpy as np
from livekit import rtc

from infra.bench.base.speech import REPLY_RATE, Sound
from infra.bench.person.diary import Diary

FRAME_MS = 20
LOUD = 250  # least peak of a frame with speech, in 16-bit samples
PAUSE_S = 0.35  # longest silence inside an answer


@dataclass(frozen=True, slots=True)
class Stretch:
    """Sound without a longer pause, on the loop's clock."""

    began: float
    ended: float


class Recording:
    """Listens to one track, and notes in a diary when it sounds and when it is quiet."""

    def __init__(self, diary: Diary) -> None:
        self._diary = diary
        self._frames: deque[tuple[float, Sound]] = deque()
        self._stretches: list[Stretch] = []
        self._sounds = False

    @property
    def sounds(self) -> bool:
        """Something can be heard, or could within the last moment."""
        return self._sounds

    @property
    def stretches(self) -> list[Stretch]:
        """All that was heard, the newest last; that one may still go on."""
        return self._stretches

    def loud_s(self, since: float) -> float:
        """Seconds of sound since then."""
        return sum(stretch.ended - max(stretch.began, since) for stretch in self._stretches if stretch.ended > since)

    def since(self, moment: float) -> Sound:
        """What came since then, silence and all: PCM16 mono, at the rate at which it came."""
        return np.concatenate([np.zeros(0, np.int16), *(sound for at, sound in self._frames if at >= moment)])

    def hear(self, sound: Sound, at: float) -> None:
        """Take a frame that ended at that moment."""
        self._frames.append((at, sound))
        self._take(at, bool(np.abs(sound).max() >= LOUD))
        self._diary.wake()

    async def listen(self, track: rtc.Track) -> None:
        clock = asyncio.get_running_loop().time
        stream = rtc.AudioStream(track, sample_rate=REPLY_RATE, num_channels=1, frame_size_ms=FRAME_MS)
        try:
            async for event in stream:
                self.hear(np.frombuffer(event.frame.data, np.int16), clock())
        finally:
            await stream.aclose()

    def _take(self, now: float, loud: bool) -> None:
        if loud and self._sounds:
            self._stretches[-1] = Stretch(self._stretches[-1].began, now)
        elif loud:
            self._sounds = True
            self._stretches.append(Stretch(now, now))
            self._diary.note("the agent sounds")
        elif self._sounds and now - self._stretches[-1].ended > PAUSE_S:
            self._sounds = False
            self._diary.note("the agent is quiet")
