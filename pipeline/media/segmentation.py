"""Cuts long sound where it is quietest."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pipeline.media.sample_rates import SPEECH_RATE

Pcm = NDArray[np.float32]


def parts(pcm: Pcm, longest_s: int) -> Iterator[Pcm]:
    """Parts of at most `longest_s`, and of half of it at least, but for the last."""
    longest, hop = longest_s * SPEECH_RATE, SPEECH_RATE // 10
    while len(pcm) > longest:
        tail = pcm[longest // 2 : longest]
        loudness = np.square(tail.reshape(-1, hop)).mean(axis=1)
        cut = longest // 2 + int(loudness.argmin()) * hop + hop // 2
        yield pcm[:cut]
        pcm = pcm[cut:]
    if len(pcm):
        yield pcm
