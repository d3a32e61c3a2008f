"""Speaks a turn in the pieces between its pauses, as somebody does who has not finished."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

RATE = 16_000  # Hz, mono

MARKS = (".", "?", "!")
QUIET = 0.01  # what is softer at the ends of a piece is cut off
AROUND_S = 0.12  # to both sides of where a word is expected to end
STEP, FADE = RATE // 100, RATE // 100

# Length of a pause, by the share of pauses that are no longer: what eot-bench's row for silence alone says of its own
# (55.6 % are longer than 0.3 s, 21.7 % than 0.6 s, 10 % than 1.0 s, 5 % than 1.6 s), between 0.1 and 3 s.
SHARES = (0.0, 0.444, 0.783, 0.9, 0.95, 1.0)
LENGTHS_S = (0.1, 0.3, 0.6, 1.0, 1.6, 3.0)

Pcm = NDArray[np.float32]
Say = Callable[[str], Pcm]


def pause_s(draws: np.random.Generator) -> float:
    """How long somebody pauses who has not finished."""
    return float(np.interp(draws.random(), SHARES, LENGTHS_S))


def spoken(pieces: Sequence[str], say: Say) -> list[Pcm]:
    """The sound of each piece, cut out of the running sentence that it is part of."""
    return [sound for group in _groups(pieces) for sound in _cut_out(group, say)]


def _groups(pieces: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for piece in pieces:
        group.append(piece)
        if piece.endswith(MARKS):  # the sentence is whole
            yield group
            group = []
    if group:
        yield group


def _cut_out(group: Sequence[str], say: Say) -> Iterator[Pcm]:
    whole = say(" ".join(group))
    begin = 0
    for count in range(1, len(group)):
        before, behind = len(say(" ".join(group[:count]))), len(say(" ".join(group[count:])))
        end = max(begin + STEP, quietest(whole, round(len(whole) * before / (before + behind))))
        yield _faded(bare(whole[begin:end]))
        begin = end
    yield bare(whole[begin:])


def quietest(pcm: Pcm, near: int) -> int:
    """The sample near this one around which there is the least sound."""
    around = round(AROUND_S * RATE)
    places = range(max(STEP, near - around), min(len(pcm) - STEP, near + around), STEP // 2)
    return min(places, key=lambda at: float(np.square(pcm[at - STEP : at + STEP]).mean()), default=near)


def bare(pcm: Pcm) -> Pcm:
    """The sound without silence around it."""
    loud = np.flatnonzero(np.abs(pcm) > QUIET)
    return pcm[loud[0] : loud[-1] + 1] if len(loud) else pcm


def _faded(pcm: Pcm) -> Pcm:
    fade = min(FADE, len(pcm))
    return np.concatenate([pcm[: len(pcm) - fade], pcm[len(pcm) - fade :] * np.linspace(1, 0, fade, dtype=np.float32)])
