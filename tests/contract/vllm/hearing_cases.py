"""What is heard in the tests of the recogniser: sounds made from seeds, and what it is told of them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MOST_TOKENS = 72
GOLDENS = Path(__file__).with_name("hearing_goldens.json")


@dataclass(frozen=True, slots=True)
class Heard:
    """
    Attributes:
        language: As Qwen3-ASR names it; None: detect it.
        streamed: Given in pieces of two seconds, as the official package does it.
    """

    seed: int
    seconds: float
    language: str | None = None
    context: str = ""
    streamed: bool = False

    @property
    def pcm(self) -> NDArray[np.float32]:
        return sound(self.seed, self.seconds)


def sound(seed: int, seconds: float) -> NDArray[np.float32]:
    """Voiced syllables of changing pitch with a little noise, and gaps between them; float32, 16 kHz."""
    dice = np.random.default_rng(seed)
    time = np.arange(int(seconds * 16_000)) / 16_000
    wave = 0.002 * dice.standard_normal(len(time))
    at = 0.0
    while at < seconds:
        length, pitch, glide = dice.uniform(0.08, 0.35), dice.uniform(90, 260), dice.uniform(-80, 80)
        here = (time >= at) & (time < at + length)
        t = time[here] - at
        envelope = np.sin(np.pi * t / length) ** 2 * dice.uniform(0.1, 0.6)
        phase = 2 * np.pi * (pitch * t + glide * t * t)
        for harmonic, strength in enumerate(dice.uniform(0, 1, 12), 1):
            wave[here] += envelope * strength / harmonic * np.sin(harmonic * phase)
        at += length + dice.choice([0.0, 0.02, 0.25])
    return (wave / 2).astype(np.float32)


NAMES = "Ada, Grace"
CASES = (
    Heard(101, 1.0, "German"),
    Heard(103, 1.0, "German"),
    Heard(104, 6.0, "German", NAMES),
    Heard(107, 1.0, "English"),
    Heard(113, 2.3),
    Heard(116, 12.0, "English"),
    Heard(118, 12.0),
    Heard(121, 2.3, "German"),
    Heard(128, 9.7, "German", NAMES),
    Heard(130, 2.3),
    Heard(140, 8.4, "English"),
    Heard(145, 8.0),
    Heard(146, 2.3, "English"),
    Heard(151, 17.3, "English"),
    Heard(105, 7.0, "German", streamed=True),
    Heard(108, 7.0, None, NAMES, streamed=True),
    Heard(123, 10.5, streamed=True),
    Heard(126, 6.5, streamed=True),
    Heard(132, 10.5, "English", streamed=True),
    Heard(144, 7.0, streamed=True),
)
