"""Turns as people speak them, with pauses in which they have not finished."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infra.bench.base.pieces import RATE, Pcm, pause_s

TURNS = Path(__file__).with_name("turns.toml")
HEARD_S = 0.2  # of silence, after which LiveKit asks its model
NOISE = 0.001  # of a quiet room, root mean square


@dataclass(frozen=True, slots=True)
class TurnScript:
    """What somebody says in one turn.

    Attributes:
        fits: It is one of those by which weights are chosen; the others are reported.
        pieces: What is said between two pauses.
    """

    number: int
    kind: str
    fits: bool
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnMoment:
    """A moment of silence in a turn, or behind it.

    Attributes:
        pause_s: How long the person is silent; None: they have finished.
        sound: All of the turn up to `HEARD_S` of that silence, 16 kHz mono.
    """

    number: int
    pause_s: float | None
    sound: Pcm


def read_turns(path: Path = TURNS) -> list[TurnScript]:
    """All turns; every other one of each kind is for fitting."""
    scripts: list[TurnScript] = []
    for kind, texts in tomllib.loads(path.read_text()).items():
        for place, text in enumerate(texts):
            pieces = tuple(piece.strip() for piece in text.split("|"))
            scripts.append(TurnScript(len(scripts), kind, place % 2 == 0, pieces))
    return scripts


def moments(spoken: Sequence[Pcm], seed: int) -> Iterator[TurnMoment]:
    """The pauses of one turn and its end.

    Args:
        spoken: What is heard between two pauses, without silence around it.
        seed: Of the lengths of the pauses, and of the noise of the room.
    """
    draws = np.random.default_rng(seed)
    heard: Pcm = np.zeros(RATE // 2, np.float32)
    silence: Pcm = np.zeros(round(HEARD_S * RATE), np.float32)
    for number, piece in enumerate(spoken):
        is_end = number == len(spoken) - 1
        silent_s = None if is_end else pause_s(draws)
        heard = np.concatenate([heard, piece])
        sound = np.concatenate([heard, silence])
        yield TurnMoment(number, silent_s, sound + _noise(draws, len(sound)))
        heard = np.concatenate([heard, np.zeros(round((silent_s or 0) * RATE), np.float32)])


def _noise(draws: np.random.Generator, samples: int) -> Pcm:
    return (NOISE * draws.standard_normal(samples)).astype(np.float32)
