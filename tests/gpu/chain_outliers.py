"""Which turns took much longer than the others, where the time went, and what the server's event loop did meanwhile."""

from collections.abc import Sequence
from statistics import median

from infra.bench.load.answer import Served
from infra.bench.load.report import shares, steps
from tests.gpu.sections import Row

APART = 1.5  # times the median
AROUND_S = 1.0  # the server tells the longest delay of its last second

Late = tuple[float, float]  # when it was told, in seconds of the run, and how long it was, in seconds


def outliers(served: Sequence[Served], late: Sequence[Late]) -> list[Row]:
    """Those whose first sound took more than `APART` times the median of all of them.

    Each with its steps in milliseconds, their shares of all that it took, and the medians of all turns; with the
    longest delay of the event loop that was told while it was answered or within a second after, in milliseconds.
    """
    took = {id(each): 1_000 * each.first_audio for each in served if each.first_audio is not None}
    if not took:
        return []
    usual_ms, usual_steps = median(took.values()), _rounded(shares(served))
    return [
        {
            "turn": each.turn,
            "at_s": each.at,
            "first_ms": took[id(each)],
            "usual_ms": usual_ms,
            "loop_lag_ms": _lag_ms(each, late),
            **_steps(each),
            "usual_steps_ms": usual_steps,
        }
        for each in served
        if took.get(id(each), 0.0) > APART * usual_ms
    ]


def _steps(served: Served) -> Row:
    """Those until the first sound was sent, and the wire."""
    ms = {name: values[0] for name, values in steps([served]).items()}
    whole = 1_000 * (served.first_audio or 0.0)
    return {"steps_ms": _rounded(ms), "shares": {name: round(each / whole, 2) for name, each in ms.items()}}


def _rounded(ms: dict[str, float]) -> dict[str, float]:
    return {name: round(each, 1) for name, each in ms.items()}


def _lag_ms(served: Served, late: Sequence[Late]) -> float | None:
    """None if nothing was told at that time."""
    ends = served.at + (served.first_audio or 0.0) + AROUND_S
    return max((1_000 * lag_s for at, lag_s in late if served.at <= at <= ends), default=None)
