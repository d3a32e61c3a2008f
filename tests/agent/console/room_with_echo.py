"""A room with a loudspeaker, a microphone that hears it, and a person: a sound card for tests."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import numpy as np
from numpy.typing import NDArray

from agent.console.echo import SoundExchange
from agent.livekit.media import RATE

BLOCK = RATE // 50  # 20 ms, as a sound card gives
REVERBERATION_S = 0.15
NOISE = 5.0  # standard deviation of the microphone's own, in 16-bit samples

Samples = NDArray[np.int16]


class RoomWithEcho:
    """The microphone hears what is played, later and softer and off the walls, and what the person says.

    Args:
        delay_s: From the loudspeaker's sample to the microphone's.
        loud: The echo's part of what is played; 0 with headphones.

    Attributes:
        played, heard: All of it.
    """

    def __init__(self, delay_s: float, loud: float) -> None:
        random = np.random.default_rng(0)
        times = np.arange(round(REVERBERATION_S * RATE)) / RATE
        walls = random.normal(size=len(times)) * np.exp(-times / 0.03) * 0.1
        walls[0] = 1.0
        self._path = loud * np.concatenate([np.zeros(round(delay_s * RATE)), walls])
        self._coming = np.zeros(len(self._path) + BLOCK)
        self._noise = random
        self._said = np.zeros(0, np.int16)
        self.played, self.heard = bytearray(), bytearray()

    def say(self, speech: bytes) -> None:
        """The person says this, from now on."""
        self._said = np.frombuffer(speech, np.int16)

    @asynccontextmanager
    async def open(self, sound: SoundExchange) -> AsyncGenerator[None]:
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(self._run(sound), name="room")
            yield
            running.cancel()

    def pass_on(self, sound: SoundExchange) -> None:
        """A block of 20 ms is heard and another played."""
        self._heard(sound)

    async def _run(self, sound: SoundExchange) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += BLOCK / RATE
            await asyncio.sleep(due - loop.time())
            self._heard(sound)

    def _heard(self, sound: SoundExchange) -> None:
        said, self._said = self._said[:BLOCK], self._said[BLOCK:]
        mixed = self._coming[:BLOCK] + np.pad(said, (0, BLOCK - len(said))) + self._noise.normal(0, NOISE, BLOCK)
        heard = np.clip(mixed, -32_768, 32_767).astype(np.int16).tobytes()
        played = sound.exchange(heard)
        self._coming = np.concatenate([self._coming[BLOCK:], np.zeros(BLOCK)])
        echo = np.convolve(np.frombuffer(played, np.int16), self._path)
        self._coming[: len(echo)] += echo[: len(self._coming)]
        self.played += played
        self.heard += heard
