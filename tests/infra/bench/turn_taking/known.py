"""A story for tests: words of noise with gaps between them, which nobody could mistake for one another."""

import numpy as np

from infra.bench.base.speech import REPLY_RATE, Sound
from infra.bench.turn_taking.heard import Ear
from infra.bench.turn_taking.place import KnownSound

WORD_S, GAP_S = 0.3, 0.1
FAINT = 3.0


def seconds(sound: Sound) -> float:
    return len(sound) / REPLY_RATE


def silence(length_s: float) -> Sound:
    return np.random.default_rng(1).normal(0, FAINT, round(length_s * REPLY_RATE)).astype(np.int16)


def story(length_s: float = 30.0) -> Sound:
    """24 kHz mono."""
    dice = np.random.default_rng(5)
    pieces = []
    for _ in range(round(length_s / (WORD_S + GAP_S))):
        slow = np.repeat(dice.normal(0, 3_000, round(WORD_S * REPLY_RATE / 12)), 12)
        pieces += [slow.astype(np.int16), silence(GAP_S)]
    return np.concatenate(pieces)


STORY = story()
KNOWN = KnownSound(STORY)


def told(from_s: float, to_s: float) -> Sound:
    return STORY[round(from_s * REPLY_RATE) : round(to_s * REPLY_RATE)]


def ear(*parts: Sound, began_s: float = 2.0, sound_s: float = 1.0) -> Ear:
    return Ear(np.concatenate(parts), began_s, began_s + sound_s)
