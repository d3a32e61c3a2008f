"""Speaks a turn in the pieces between its pauses, as somebody does who has not finished."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from infra.bench.eot.turns import RATE, Pcm

MARKS = (".", "?", "!")
QUIET = 0.01  # what is softer at the ends of a piece is cut off
AROUND_S = 0.12  # to both sides of where a word is expected to end
STEP, FADE = RATE // 100, RATE // 100

Say = Callable[[str], Pcm]


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
