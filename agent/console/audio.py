"""A microphone that is a WAV file, and a loudspeaker that is one: both in real time."""

import asyncio
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
from livekit import rtc
from livekit.agents.voice import io

from agent.console.loudspeaker import Loudspeaker
from agent.livekit.media import RATE, sound

STEP_S = 0.02
STEP_BYTES = int(RATE * STEP_S) * 2
FRAME_S = 0.05  # what a room gives at a time
FRAME_BYTES = int(RATE * FRAME_S) * 2


def read_wav(path: Path) -> bytes:
    """PCM16, 24 kHz mono, of a WAV with 16-bit samples of any rate.

    Raises:
        ValueError: It is no such file.
    """
    try:
        with wave.open(str(path), "rb") as file:
            if file.getsampwidth() != 2:
                raise ValueError(f"{path}: 16-bit samples are needed, these have {8 * file.getsampwidth()}")
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
            mono = samples.reshape(-1, file.getnchannels()).mean(axis=1).astype(np.int16)
            rate = file.getframerate()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
    except (wave.Error, EOFError) as error:
        raise ValueError(f"{path}: not a WAV file") from error
    if rate == RATE:
        return bytes(mono.tobytes())
    resampler = rtc.AudioResampler(rate, RATE, num_channels=1, quality=rtc.AudioResamplerQuality.HIGH)
    frames = [*resampler.push(bytearray(mono.tobytes())), *resampler.flush()]
    return b"".join(bytes(frame.data) for frame in frames)


def check_writable(path: Path) -> None:
    """Check that a file can be written there.

    Raises:
        ValueError: None can.
    """
    existed = path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from error
    if not existed:
        path.unlink()


def write_wav(path: Path, pcm: bytes) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(pcm)


class WavMicrophone(io.AudioInput):
    """Speaks the recording, and is silent from then on.

    Args:
        more: Something else will be `add`ed.
    """

    def __init__(self, pcm: bytes, *, more: bool = False) -> None:
        super().__init__(label="wav")
        self._pcm, self._more = pcm, more
        self._given = 0
        self._due: float | None = None
        self.over = asyncio.Event()  # all of it has been spoken

    def add(self, pcm: bytes) -> None:
        """Speak this too, and then nothing more."""
        self._pcm, self._more = self._pcm + pcm, False

    async def __anext__(self) -> rtc.AudioFrame:
        loop = asyncio.get_running_loop()
        self._due = (loop.time() if self._due is None else self._due) + FRAME_S
        await asyncio.sleep(self._due - loop.time())
        part = self._pcm[self._given : self._given + FRAME_BYTES]
        self._given += len(part)
        if self._given >= len(self._pcm) and not self._more:
            self.over.set()
        return sound(part.ljust(FRAME_BYTES, b"\0"))


class WavLoudspeaker(Loudspeaker):
    """Plays at the speed of sound, and keeps what it played.

    Args:
        wall_time: What LiveKit stamps its events with.
    """

    def __init__(self, wall_time: Callable[[], float]) -> None:
        super().__init__(wall_time)
        self.recording = bytearray()

    async def play(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += STEP_S
            await asyncio.sleep(due - loop.time())
            self.recording += self.take(STEP_BYTES)
