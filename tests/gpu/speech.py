"""Sound that voice activity detection takes for speech: vowels of a falling voice, with consonants between."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

RATE = 24_000
SYLLABLE_S = 0.25
FORMANTS = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480), (570, 840, 2410))  # Hz
BANDWIDTHS = (60, 90, 120)  # Hz, of the three


@cache
def speech(seconds: float, seed: int = 0) -> bytes:
    """PCM16, 24 kHz mono: as many syllables as are spoken in that time. It ends with the last one."""
    chance = np.random.default_rng(seed)
    count = round(seconds / SYLLABLE_S)
    sound = np.concatenate([_syllable(chance, at / count) for at in range(count)])
    return np.ascontiguousarray(0.5 * 32_767 * sound / np.abs(sound).max(), "<i2").tobytes()


def _syllable(chance: np.random.Generator, place: float) -> NDArray[np.float64]:
    """A burst of noise and a vowel; the voice falls towards the end of the sentence."""
    size = round(SYLLABLE_S * RATE)
    at = np.arange(size) / size
    hertz = (150 - 50 * place + chance.uniform(-10, 10)) * (1 + 0.08 * np.sin(np.pi * at))
    phase = np.cumsum(hertz / RATE)
    pulses = np.diff(np.floor(phase), prepend=0.0)
    vowel = pulses + chance.normal(0, 0.01, size)
    for formant, bandwidth in zip(FORMANTS[chance.integers(len(FORMANTS))], BANDWIDTHS, strict=True):
        vowel = _resonance(vowel, formant, bandwidth)
    burst = np.diff(chance.normal(0, 1, size), prepend=0.0) * np.exp(-(((at - 0.06) / 0.03) ** 2))
    loud = np.sin(np.pi * np.clip((at - 0.1) / 0.9, 0, 1)) ** 0.5
    return vowel / np.abs(vowel).max() * loud + 0.15 * burst


def _resonance(sound: NDArray[np.float64], hertz: float, bandwidth: float) -> NDArray[np.float64]:
    """A resonator of two poles: its impulse response, convolved."""
    at = np.arange(round(0.05 * RATE)) / RATE
    response = np.exp(-np.pi * bandwidth * at) * np.sin(2 * np.pi * hertz * at)
    return np.convolve(sound, response)[: len(sound)]
