"""A microphone for LiveKit: whatever hears gives it the sound, from any thread."""

import asyncio

import numpy as np
from livekit import rtc
from livekit.agents.voice import io

from agent.livekit.media import RATE, sound

FRAME_BYTES = int(RATE * 0.02) * 2
MOST_FRAMES = 50  # a second: what nobody fetches for longer is old, and dropped
FULL_SCALE = 32_768.0
FLOOR_DB = -90.0  # what digital silence is said to be


class CardMicrophone(io.AudioInput):
    """Hands on what is heard in frames of 20 ms, the oldest dropped where nobody fetches them."""

    def __init__(self) -> None:
        super().__init__(label="microphone")
        self._loop = asyncio.get_running_loop()
        self._frames: asyncio.Queue[bytes] = asyncio.Queue(MOST_FRAMES)
        self._partial = bytearray()
        self.level_db = FLOOR_DB
        self.heard_at = self._loop.time()

    def hear(self, pcm: bytes) -> None:
        """Take what has just been heard: PCM16, 24 kHz mono. May be called in any thread."""
        self._loop.call_soon_threadsafe(self._put, pcm)

    async def __anext__(self) -> rtc.AudioFrame:
        return sound(await self._frames.get())

    def _put(self, pcm: bytes) -> None:
        self.heard_at = self._loop.time()
        self.level_db = level_db(pcm)
        self._partial += pcm
        while len(self._partial) >= FRAME_BYTES:
            if self._frames.full():
                self._frames.get_nowait()
            self._frames.put_nowait(bytes(self._partial[:FRAME_BYTES]))
            del self._partial[:FRAME_BYTES]


def level_db(pcm: bytes) -> float:
    """Return the level of PCM16, in dB of full scale: 0 at most, `FLOOR_DB` for silence."""
    samples = np.frombuffer(pcm, np.int16).astype(np.float64)
    power = float(np.mean(samples**2)) if len(samples) else 0.0
    return max(FLOOR_DB, 10 * float(np.log10(power / FULL_SCALE**2))) if power else FLOOR_DB
