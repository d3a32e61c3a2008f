"""Cuts a spectrum where the encoder does not look across, so that vLLM keeps what it has made of each window."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from uuid import uuid4

import numpy as np

from pipeline.models.qwen3_asr.mel import Mel

CHUNK = 100  # frames that the convolutions see at once
_TOKENS_A_CHUNK = 13


def audio_tokens(frames: int) -> int:
    """How many tokens the encoder makes of so many frames: 13 of a chunk, and an eighth of the rest, rounded up."""
    return frames // CHUNK * _TOKENS_A_CHUNK + -(-(frames % CHUNK) // 8)


def encoder_windows(mel: Mel, window: int) -> Iterator[Mel]:
    """Pieces that encode one by one to what the whole encodes to.

    A rest that is shorter than a chunk stays with the window before it: alone, it would be padded less, and
    the convolutions see the padding.

    Args:
        mel: Shape [frames, bands].
        window: The frames that the encoder's attention sees at once, a multiple of `CHUNK`.
    """
    at = 0
    while len(mel) - at >= window + CHUNK:
        yield mel[at : at + window]
        at += window
    yield mel[at:]


@dataclass(frozen=True, slots=True, eq=False)
class EncoderWindow:
    """A window of a spectrum.

    Attributes:
        name: Names what it holds; no other piece bears it.
        mel: Shape [frames, bands], one band after the other in memory.
    """

    name: str
    mel: Mel

    def __len__(self) -> int:
        return len(self.mel)


class EncoderWindows:
    """The windows of one spectrum that grows. One that holds what it held the last time is the same piece.

    Args:
        window: As `encoder_windows` has it.
    """

    def __init__(self, window: int) -> None:
        self._window = window
        self._owner = uuid4().hex
        self._numbers = count()
        self._last: tuple[EncoderWindow, ...] = ()

    def __call__(self, mel: Mel) -> tuple[EncoderWindow, ...]:
        windows = enumerate(encoder_windows(mel, self._window))
        self._last = tuple(self._piece(number, window) for number, window in windows)
        return self._last

    def _piece(self, number: int, window: Mel) -> EncoderWindow:
        if number < len(self._last) and np.array_equal(self._last[number].mel, window):
            return self._last[number]
        return EncoderWindow(f"{self._owner}.{next(self._numbers)}", np.asfortranarray(window))
