"""eot-bench's protocol: what the best settings of a detector cost in cut-offs and in delay. Pure.

A detector gives each moment of silence a score. Where it reaches a threshold the turn is taken after one delay, else
after a longer one, unless the person has gone on before. All thresholds and delays are tried; what counts is the
smallest share of pauses that are cut off within a budget of mean delay, and the smallest mean delay within a share of
pauses cut off.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DELAYS_S: Floats = np.round(np.arange(0.2, 4.01, 0.05), 2)  # none is shorter than the silence that is judged
BUDGETS_S = (0.3, 0.6)
SHARES = (0.05, 0.10)
EDGE = 1e-9


@dataclass(frozen=True, slots=True)
class Judged:
    """One moment of silence.

    Attributes:
        pause_s: How long the person is silent; None: they have finished.
    """

    score: float
    pause_s: float | None


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """What a detector reaches.

    Attributes:
        cut_off: Share of pauses cut off, at each budget of `BUDGETS_S`.
        delay_s: Mean delay at the ends, at each share of `SHARES`.
    """

    cut_off: tuple[float, ...]
    delay_s: tuple[float, ...]


def figures(judged: Sequence[Judged]) -> TurnFigures:
    """The best that is reached with any threshold and any two delays.

    Raises:
        ValueError: There are no pauses, or no ends.
    """
    ends = np.array([each.score for each in judged if each.pause_s is None])
    pauses = [(each.score, each.pause_s) for each in judged if each.pause_s is not None]
    if not len(ends) or not pauses:
        raise ValueError(f"{len(pauses)} pauses and {len(ends)} ends: there must be some of both")
    scores, lengths = (np.array(column) for column in zip(*pauses, strict=True))
    cut, delay = [], []
    longer = lengths[:, None] > DELAYS_S + EDGE  # shape [pauses, delays]
    earlier = DELAYS_S[:, None] <= DELAYS_S + EDGE  # the delay of who is over is not the longer one
    for threshold in (-np.inf, *np.unique(np.concatenate([scores, ends])), np.inf):
        over = scores >= threshold
        sure = float((ends >= threshold).mean())
        cuts = longer[over].sum(0)[:, None] + longer[~over].sum(0)
        cut.append((cuts / len(pauses))[earlier])
        delay.append((sure * DELAYS_S[:, None] + (1 - sure) * DELAYS_S)[earlier])
    cuts_all, delays_all = np.concatenate(cut), np.concatenate(delay)
    return TurnFigures(
        tuple(float(cuts_all[delays_all <= budget + EDGE].min()) for budget in BUDGETS_S),
        tuple(float(delays_all[cuts_all <= share + EDGE].min()) for share in SHARES),
    )


def of_delays(judged: Sequence[Judged]) -> tuple[float, float]:
    """Share of pauses cut off, and mean delay in seconds at the ends, of a policy whose scores are its delays."""
    ends = [each.score for each in judged if each.pause_s is None]
    cut = [each.pause_s > each.score for each in judged if each.pause_s is not None]
    return sum(cut) / len(cut), sum(ends) / len(ends)
