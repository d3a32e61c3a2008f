"""Hears a recording that is still being made: a WAV file of a telephone line."""

from pathlib import Path

import numpy as np
import soxr

from infra.bench.base.speech import RATE, Sound
from infra.bench.person.recording import Recording
from tests.e2e.telephone_wire import LINE_RATE

HEADER = 44  # bytes of a WAV file before its first sample
PIECE = LINE_RATE // 50 * 2  # bytes: 20 ms


class Tape:
    """A PCM16 mono file, from its beginning at a moment of the loop's clock."""

    def __init__(self, path: Path, began: float) -> None:
        self._path, self._began = path, began
        self._read = HEADER

    def rewind(self, heard: Recording) -> None:
        """Hear what has been recorded since the last time."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            pcm = file.read()
        for begin in range(0, len(pcm) // PIECE * PIECE, PIECE):
            self._read += PIECE
            at = self._began + (self._read - HEADER) / 2 / LINE_RATE
            heard.hear(np.frombuffer(pcm, np.int16, PIECE // 2, begin), at)


def narrow(sound: Sound) -> Sound:
    """What a telephone makes of a microphone's sound: 8 kHz."""
    return np.asarray(soxr.resample(sound, RATE, LINE_RATE), np.int16)
