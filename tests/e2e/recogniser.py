"""Ears to understand a reply with, which do not go through the system under test."""

from pathlib import Path
from typing import Any

import numpy as np
import soxr

from infra.bench.base.speech import REPLY_RATE, Sound

EARS_RATE = 16_000
UP_TO_NINETEEN = """
zero one two three four five six seven eight nine ten
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
NUMBERS = {word: number for number, word in enumerate(UP_TO_NINETEEN.split())}
TENS = {word: 10 * n for n, word in enumerate(["twenty", "thirty", "forty", "fifty"], start=2)}


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
