"""Words as sound: each is a level of its own, so that whoever gets the sound can say which words it holds."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LOWEST, STEP = 4_000, 8  # of 32,767: louder than silence, and resampling changes a level by less than half a step
LEVELS = 3_000  # after so many words the levels are used again
BLOCK_S = 0.01
HEARD_S = 0.06  # of a word that is made out

Pcm16 = NDArray[np.int16]


@dataclass
class Spelling:
    """The words of one speaker.

    Attributes:
        words: By their level; an empty one is a sound without words.
    """

    words: dict[int, str] = field(default_factory=dict)
    _next: int = 0

    def spell(self, word: str, seconds: float, rate: int) -> Pcm16:
        level = LOWEST + STEP * self._next
        self._next = (self._next + 1) % LEVELS
        self.words[level] = word
        return np.full(round(seconds * rate), level, np.int16)

    def read(self, pcm: NDArray[np.float32], rate: int) -> list[str]:
        """The words in a sound (in [-1, 1]) that is cut anywhere."""
        block = round(BLOCK_S * rate)
        samples = pcm[: len(pcm) // block * block].reshape(-1, block) * 32_768
        flat = np.ptp(samples, axis=1) < STEP / 2
        levels = LOWEST + STEP * np.rint((np.median(samples, axis=1) - LOWEST) / STEP).astype(int)
        words: list[str] = []
        last, blocks = 0, 0
        for level in levels[flat].tolist():
            blocks = blocks + 1 if level == last else 1
            last = level
            if blocks == round(HEARD_S / BLOCK_S) and self.words.get(level):
                words.append(self.words[level])
        return words
