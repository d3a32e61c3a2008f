"""Sounds that are no words, made of random numbers and tones: 16-bit samples, 48 kHz mono, as loud as speech."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from infra.bench.base.speech import RATE, Sound
from infra.bench.turn_taking.sounds.voices import levelled

Wave = NDArray[np.float64]
Dice = np.random.Generator


def cough(dice: Dice) -> Sound:
    """One to three bursts of coloured noise, each with a hard onset."""
    bursts = [_band(_burst(dice, dice.uniform(0.12, 0.25)), 200, 4_000) for _ in range(dice.integers(1, 4))]
    return levelled(_apart(dice, bursts, 0.08, 0.2))


def door(dice: Dice) -> Sound:
    """A low thump and the click of a latch."""
    thump = _band(_burst(dice, 0.35), 40, 300) * 4
    return levelled(_apart(dice, [thump, _band(_burst(dice, 0.03), 1_500, 8_000)], 0.05, 0.15))


def typing(dice: Dice) -> Sound:
    """Keys, five or so a second, for a while."""
    keys = [_band(_burst(dice, 0.025), 1_000, 9_000) for _ in range(int(dice.integers(6, 14)))]
    return levelled(_apart(dice, keys, 0.08, 0.25))


def music(dice: Dice) -> Sound:
    """A melody with overtones over a bass."""
    notes = []
    for _ in range(int(dice.integers(6, 12))):
        seconds, hz = dice.uniform(0.18, 0.4), 220 * 2 ** (dice.integers(0, 13) / 12)
        t = np.arange(round(seconds * RATE)) / RATE
        tones = sum(np.sin(2 * np.pi * hz * n * t) / n for n in range(1, 6)) + 0.7 * np.sin(np.pi * hz * t)
        notes.append(tones * np.exp(-t * 3))
    return levelled(np.concatenate(notes))


def laughter(dice: Dice) -> Sound:
    """A row of voiced, breathy bursts that fall in pitch."""
    hz, bursts = dice.uniform(180, 320), []
    for _ in range(int(dice.integers(4, 8))):
        t = np.arange(round(dice.uniform(0.09, 0.14) * RATE)) / RATE
        voiced = np.sign(np.sin(2 * np.pi * hz * t)) + dice.normal(0, 0.8, len(t))
        bursts.append(_band(voiced * np.hanning(len(t)), 300, 3_000))
        hz *= 0.96
    return levelled(_apart(dice, bursts, 0.05, 0.09))


def sneeze(dice: Dice) -> Sound:
    """A breath that swells, and a burst."""
    breath = _band(dice.normal(0, 1, round(0.4 * RATE)), 500, 4_000) * np.linspace(0, 0.3, round(0.4 * RATE))
    return levelled(np.concatenate([breath, _band(_burst(dice, 0.3), 800, 8_000)]))


NOISES: dict[str, Callable[[Dice], Sound]] = {
    "cough": cough,
    "door": door,
    "typing": typing,
    "music": music,
    "laughter": laughter,
    "sneeze": sneeze,
}


def babble(dice: Dice, spoken: list[Sound], seconds: float = 3.0) -> Sound:
    """Several people at once, each in the middle of something."""
    size = round(seconds * RATE)
    mixed = np.zeros(size)
    for sound in spoken:
        mixed += np.roll(np.resize(sound.astype(np.float64), size), int(dice.integers(size)))
    return levelled(mixed)


def quieter(sound: Sound, db: float) -> Sound:
    return (sound * 10 ** (-db / 20)).astype(np.int16)


def muffled(sound: Sound, hz: float = 1_800) -> Sound:
    """As it is heard from the next room."""
    return _band(sound.astype(np.float64), 0, hz).astype(np.int16)


def _burst(dice: Dice, seconds: float) -> Wave:
    size = round(seconds * RATE)
    return dice.normal(0, 1, size) * np.exp(-np.arange(size) / (size / 4))


def _band(sound: Wave, low: float, high: float) -> Wave:
    """The part of a sound between two frequencies, in Hz; beside them it falls off by 12 dB an octave."""
    spectrum, hz = np.fft.rfft(sound), np.fft.rfftfreq(len(sound), 1 / RATE)
    below = 1 / (1 + (np.maximum(hz, 1e-9) / high) ** 4) ** 0.5
    above = 1 / (1 + (low / np.maximum(hz, 1e-9)) ** 4) ** 0.5
    return np.fft.irfft(spectrum * below * above, len(sound))


def _apart(dice: Dice, sounds: list[Wave], least_s: float, most_s: float) -> Wave:
    gaps = [np.zeros(round(dice.uniform(least_s, most_s) * RATE)) for _ in sounds]
    return np.concatenate([part for pair in zip(sounds, gaps, strict=True) for part in pair][:-1])
