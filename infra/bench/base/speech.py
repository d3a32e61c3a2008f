"""A voice to ask with, and ears to understand the reply with: neither goes through the system under test."""

import wave
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

RATE = 48_000  # Hz, mono: what microphones give here
REPLY_RATE = 24_000  # Hz, mono: what the agent's sound is recorded at
EARS_RATE = 16_000

Sound = NDArray[np.int16]

UP_TO_NINETEEN = """
zero one two three four five six seven eight nine ten
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
NUMBERS = {word: number for number, word in enumerate(UP_TO_NINETEEN.split())}
TENS = {word: 10 * n for n, word in enumerate(["twenty", "thirty", "forty", "fifty"], start=2)}


class PersonVoice:
    """Speaks English, with the little model in the hibari package. Says each thing once and remembers it."""

    def __init__(self) -> None:
        from hibari import Hibari

        self._voice = Hibari(threads=1)
        self._said: dict[str, Sound] = {}

    def say(self, text: str) -> Sound:
        """PCM16, 48 kHz mono, without silence around it."""
        if text not in self._said:
            spoken = np.asarray(self._voice(text, seed=0), np.float32)
            loud = np.flatnonzero(np.abs(spoken) > 0.01)
            resampled = soxr.resample(spoken[loud[0] : loud[-1] + 1], REPLY_RATE, RATE)
            self._said[text] = (np.clip(resampled, -1, 1) * 32_767).astype(np.int16)
        return self._said[text]


class Recogniser:
    """Whisper, loaded apart from the one in the pipeline."""

    def __init__(self, model: Path) -> None:
        from faster_whisper import WhisperModel

        self._model: Any = WhisperModel(str(model), device="cpu", compute_type="int8", cpu_threads=2)

    def understand(self, sound: Sound, rate: int = REPLY_RATE) -> str:
        """What is said in PCM16 mono. Blocks for a second or so."""
        heard = soxr.resample(sound.astype(np.float32) / 32_768, rate, EARS_RATE)
        segments, _ = self._model.transcribe(heard, language="en", beam_size=1, condition_on_previous_text=False)
        return " ".join(segment.text.strip() for segment in segments)


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


def numbers_in(text: str) -> list[int]:
    """The whole numbers of a text, in digits or in words: "One, two, 3, twenty-one" is [1, 2, 3, 21]."""
    found: list[int] = []
    tens: int | None = None
    for word in "".join(c if c.isalnum() else " " for c in text.lower()).split():
        if tens is not None and NUMBERS.get(word, 10) in range(1, 10):
            found[-1] = tens + NUMBERS[word]
            tens = None
            continue
        tens = TENS.get(word)
        number = int(word) if word.isdecimal() else NUMBERS.get(word, tens)
        if number is not None:
            found.append(number)
    return found
