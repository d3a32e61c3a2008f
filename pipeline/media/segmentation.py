"""Cuts long sound where it is quietest."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE

Pcm = NDArray[np.float32]


def parts(pcm: Pcm, longest_s: int) -> Iterator[Pcm]:
    """Parts of at most `longest_s`, and of half of it at least, but for the last."""
    longest = longest_s * SPEECH_RATE
    while len(pcm) > longest:
        cut = quietest(pcm, longest // 2, longest)
        yield pcm[:cut]
        pcm = pcm[cut:]
    if len(pcm):
        yield pcm


def quietest(pcm: Pcm, start: int, end: int) -> int:
    """The middle of the quietest tenth of a second between two places, which lie whole tenths apart."""
    hop = SPEECH_RATE // 10
    loudness = np.square(pcm[start:end].reshape(-1, hop)).mean(axis=1)
    return start + int(loudness.argmin()) * hop + hop // 2
