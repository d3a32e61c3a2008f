"""Where in a known sound a piece of it lies that has come through a room: what was said last, and where it went on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infra.bench.base.speech import REPLY_RATE, Sound

RATE = 8_000  # Hz at which is compared
STEP = REPLY_RATE // RATE
CERTAIN = 0.5  # least correlation of a piece with its place: of another place it is 0.1


@dataclass(frozen=True, slots=True)
class Place:
    """A piece begins `at_s` in the known sound; 1 is `likeness` without a fault."""

    at_s: float
    likeness: float

    @property
    def is_certain(self) -> bool:
        return self.likeness >= CERTAIN


class KnownSound:
    """A sound in which pieces are looked for: 24 kHz mono."""

    def __init__(self, sound: Sound) -> None:
        self._sound = _coarse(sound)
        self._size = 1 << (2 * len(self._sound)).bit_length()
        self._spectrum = np.fft.rfft(self._sound, self._size)
        self._squares = np.concatenate([[0.0], np.cumsum(self._sound**2)])

    def find(self, piece: Sound) -> Place:
        """The likeliest place of a piece (24 kHz mono)."""
        coarse = _coarse(piece)
        if not len(coarse) or len(coarse) > len(self._sound) or not coarse.any():
            return Place(0.0, 0.0)
        matched = np.fft.irfft(self._spectrum * np.conj(np.fft.rfft(coarse, self._size)), self._size)
        ends = np.arange(len(self._sound) - len(coarse) + 1)
        energy = np.maximum(self._squares[ends + len(coarse)] - self._squares[ends], 1.0)
        likeness = matched[: len(ends)] / np.sqrt(energy * float((coarse**2).sum()))
        best = int(np.argmax(likeness))
        return Place(best / RATE, float(likeness[best]))


def _coarse(sound: Sound) -> NDArray[np.float64]:
    """The sound at 8 kHz: every three samples as one."""
    whole = sound[: len(sound) // STEP * STEP].astype(np.float64)
    return np.asarray(whole.reshape(-1, STEP).mean(axis=1))
