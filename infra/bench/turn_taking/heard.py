"""Judges at the ear of the person in a room what became of an answer over which they made a sound."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from infra.bench.base.speech import REPLY_RATE, Sound
from infra.bench.person.recording import LOUD
from infra.bench.turn_taking.outcome import Fate, Outcome
from infra.bench.turn_taking.place import KnownSound, Place

FRAME = REPLY_RATE // 50
PIECE_S = 0.9  # of the answer that is looked for: before it fell silent, and after
GAP_S = 0.38  # silence that is longer than those inside the answer
LATER_S = 0.4  # by so much later it is looked for again, where a room has spoilt the first words
AGAIN_S = 1.0  # how far from where it had stopped an answer goes on: LiveKit drops a fifth of a second with each pause
NOWHERE = Place(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Ear:
    """What was heard around a sound.

    Attributes:
        sound: 24 kHz mono.
        began_s, ended_s: When in it the person made their sound.
    """

    sound: Sound
    began_s: float
    ended_s: float


def judge(ear: Ear, answer: KnownSound, *, heard: Sequence[str] = (), reason: str = "") -> Outcome:
    """What became of the answer: it is known by where its pieces lie in the story.

    A new answer may follow one that was stopped without a silence that anybody would notice: then what is heard last is
    the story from its beginning.
    """
    told = tuple(heard)
    gaps = [gap for gap in _gaps(ear.sound) if gap[1] > ear.began_s]
    first_s = gaps[0][0] if gaps else ear.began_s
    silence_s = max(0.0, first_s - ear.began_s) if gaps else None
    after_s = gaps[-1][1] if gaps else max(ear.began_s, ear.ended_s)
    stopped_s = max(0.0, gaps[-1][0] - ear.began_s) if gaps else None
    if after_s > len(ear.sound) / REPLY_RATE - PIECE_S:  # silent at the end of what was heard
        fate: Fate = "stopped" if gaps else "unclear"
        return Outcome(fate, silence_s, heard=told, reason=reason, stopped_s=stopped_s)
    before = _place(ear.sound, answer, first_s - PIECE_S)
    tries = ((at_s, _place(ear.sound, answer, at_s)) for at_s in (after_s, after_s + LATER_S, after_s + 2 * LATER_S))
    later_s, after = next((each for each in tries if each[1].is_certain), (after_s, NOWHERE))
    if not (before.is_certain and after.is_certain):
        return Outcome("unclear", silence_s, heard=told, reason=reason)
    silent_s = sum((to - since for since, to in gaps), 0.0)
    story_s = before.at_s - (first_s - PIECE_S) - silent_s  # where in it the ear would begin, had there been no silence
    lost_s = after.at_s - later_s - story_s
    if gaps and abs(lost_s) > AGAIN_S:
        return Outcome("stopped", silence_s, lost_s=lost_s, heard=told, reason=reason, stopped_s=stopped_s)
    last_s = len(ear.sound) / REPLY_RATE - PIECE_S
    last = _place(ear.sound, answer, last_s)
    lost_at_last_s = last.at_s - last_s - story_s
    if last.is_certain and abs(lost_at_last_s) > AGAIN_S:
        anew_s = max(0.0, last_s - last.at_s - ear.began_s)
        return Outcome("stopped", silence_s, lost_s=lost_at_last_s, heard=told, reason=reason, stopped_s=anew_s)
    resumed_s = max(0.0, after_s - ear.ended_s) if gaps else 0.0
    return Outcome("went_on", silence_s, silent_s, resumed_s, lost_s, told, reason)


def _place(sound: Sound, answer: KnownSound, at_s: float) -> Place:
    begin = max(0, round(at_s * REPLY_RATE))
    return answer.find(sound[begin : begin + round(PIECE_S * REPLY_RATE)])


def _gaps(sound: Sound) -> list[tuple[float, float]]:
    """The silences that are longer than an answer's own, in seconds."""
    frames = np.abs(sound[: len(sound) // FRAME * FRAME].astype(np.int32)).reshape(-1, FRAME).max(axis=1) >= LOUD
    loud = np.flatnonzero(frames)
    edges = [-1, *loud, len(frames)]
    step = FRAME / REPLY_RATE
    gaps = [((int(a) + 1) * step, int(b) * step) for a, b in pairwise(edges)]
    return [gap for gap in gaps if gap[1] - gap[0] > GAP_S]
