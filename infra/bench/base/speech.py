"""A voice to ask with, which does not go through the system under test."""

import wave
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

RATE = 48_000  # Hz, mono: what microphones give here
REPLY_RATE = 24_000  # Hz, mono: what the agent's sound is recorded at

Sound = NDArray[np.int16]


class PersonVoice:
    """Speaks English, with the little model in the hibari package. Says each thing once and remembers it."""

    def __init__(self) -> None:
        from hibari import Hibari

        self._voice = Hibari(threads=1)
        self._said: dict[str, Sound] = {}

    @property
    def sentences(self) -> list[str]:
        """All that it has said."""
        return list(self._said)

    def say(self, text: str) -> Sound:
        """PCM16, 48 kHz mono, without silence around it."""
        if text not in self._said:
            spoken = np.asarray(self._voice(text, seed=0), np.float32)
            loud = np.flatnonzero(np.abs(spoken) > 0.01)
            resampled = soxr.resample(spoken[loud[0] : loud[-1] + 1], REPLY_RATE, RATE)
            self._said[text] = (np.clip(resampled, -1, 1) * 32_767).astype(np.int16)
        return self._said[text]


def as_wire(sound: Sound) -> bytes:
    """What a microphone gives as the wire takes it: PCM16, 24 kHz mono."""
    assert RATE == 2 * REPLY_RATE
    return np.ascontiguousarray(sound[::2], "<i2").tobytes()


def silence(seconds: float) -> Sound:
    return np.zeros(round(seconds * RATE), np.int16)


def write_wav(path: Path, sound: Sound, rate: int = RATE) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(sound.tobytes())
    return path


def read_wav(path: Path) -> tuple[Sound, int]:
    """The samples of a PCM16 mono file, and their rate."""
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16), file.getframerate()
