"""Turns with pauses: each sentence is spoken as a whole, and cut where somebody pauses who has not finished."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import soxr

from infra.bench.base.pieces import RATE as PIECE_RATE
from infra.bench.base.pieces import Pcm, pause_s, spoken
from infra.bench.base.speech import RATE, Sound, silence

PAUSE = "|"  # in a text


@dataclass(frozen=True, slots=True)
class PausedTurn:
    """A turn with pauses.

    Attributes:
        sound: PCM16, 48 kHz mono.
        pause_at_s: When in it the first pause begins.
        longest_pause_s: Of its pauses.
        pauses: How many there are.
    """

    sound: Sound
    pause_at_s: float
    longest_pause_s: float
    pauses: int


def paused_turn(text: str, say: Callable[[str], Sound], dice: np.random.Generator) -> PausedTurn:
    """The text with a pause at each mark.

    Args:
        say: Speaks a text: PCM16, 48 kHz mono.
    """

    def said(piece: str) -> Pcm:
        return np.asarray(soxr.resample(say(piece).astype(np.float32) / 32_768, RATE, PIECE_RATE), np.float32)

    first, *rest = (_as_said(piece) for piece in spoken([piece.strip() for piece in text.split(PAUSE)], said))
    parts, longest_s = [first], 0.0
    for piece in rest:
        silent_s = pause_s(dice)
        parts += [silence(silent_s), piece]
        longest_s = max(longest_s, silent_s)
    return PausedTurn(np.concatenate(parts), len(first) / RATE, longest_s, len(rest))


def _as_said(piece: Pcm) -> Sound:
    return np.asarray(np.clip(soxr.resample(piece, PIECE_RATE, RATE), -1, 1) * 32_767, np.int16)
