"""A microphone that is a WAV file, and a loudspeaker that is one: both in real time."""

import asyncio
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
from livekit import rtc
from livekit.agents.voice import io

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


class WavLoudspeaker(io.AudioOutput):
    """Plays at the speed of sound, keeps what it played, and can be paused and silenced.

    Args:
        wall_time: What LiveKit stamps its events with.
    """

    def __init__(self, wall_time: Callable[[], float]) -> None:
        super().__init__(label="loudspeaker", capabilities=io.AudioOutputCapabilities(pause=True), sample_rate=RATE)
        self._wall_time = wall_time
        self._waiting = bytearray()
        self._played_s = 0.0
        self._open = self._flushed = self._paused = False
        self.recording = bytearray()

    async def play(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += STEP_S
            await asyncio.sleep(due - loop.time())
            self._step()

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        self._waiting += bytes(frame.data)
        self._open = True

    def flush(self) -> None:
        super().flush()
        self._flushed = self._open

    def clear_buffer(self) -> None:
        self._waiting.clear()
        if self._open:
            self._finish(interrupted=True)

    def pause(self) -> None:
        super().pause()
        self._paused = True

    def resume(self) -> None:
        super().resume()
        self._paused = False

    def _step(self) -> None:
        playing = self._open and not self._paused
        part = bytes(self._waiting[:STEP_BYTES]) if playing else b""
        del self._waiting[: len(part)]
        self.recording += part.ljust(STEP_BYTES, b"\0")
        if part and self._played_s == 0.0:
            self.on_playback_started(created_at=self._wall_time())
        self._played_s += len(part) / (2 * RATE)
        if playing and self._flushed and not self._waiting:
            self._finish(interrupted=False)

    def _finish(self, *, interrupted: bool) -> None:
        played_s, self._played_s = self._played_s, 0.0
        self._open = self._flushed = False
        self.on_playback_finished(playback_position=played_s, interrupted=interrupted)
