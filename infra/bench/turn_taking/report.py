"""Rates of many cases, as a table for a terminal and as plain values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from infra.bench.base.figures import percentile
from infra.bench.turn_taking.outcome import Outcome
from infra.bench.turn_taking.sounds.cases import CLASSES, Case

Judged = tuple[Case, Outcome]


def table(judged: Sequence[Judged], *, details: bool = False) -> str:
    """Rates by class, or with `details` by what is alike in a class as well: the language, or the noise and its level.

    The columns: cases; how many did what they were to do, and their share; ms from the onset to silence; s of silence
    until an answer that went on did so, and s from the sound's end until then, or until a turn with pauses is answered
    (median / p95).
    """
    lines = [
        f"{'class':<26} {'n':>4} {'right':>6} {'rate':>5}  {'onset → silence ms':>19} {'pause s':>12} {'resumed s':>12}"
    ]
    for kind in CLASSES:
        of_class = [each for each in judged if each[0].kind == kind]
        if of_class:
            lines.append(_line(kind, of_class))
        if details:
            lines += [_line(f"  {name}", some) for name, some in _alike(of_class)]
    return "\n".join(lines)


def plain(judged: Sequence[Judged]) -> dict[str, Any]:
    """All rates and all cases, for JSON."""
    rates = {kind: _rates([each for each in judged if each[0].kind == kind]) for kind in CLASSES}
    cases = [
        {"class": case.kind, "what": case.what, "seconds": round(case.seconds, 2), **asdict(outcome)}
        | {"right": outcome.is_right(case.kind)}
        for case, outcome in judged
    ]
    return {"rates": {kind: rate for kind, rate in rates.items() if rate}, "cases": cases}


def wrong(judged: Sequence[Judged]) -> str:
    """Those cases that did not do what they were to do, a line each."""
    failed = [(case, outcome) for case, outcome in judged if not outcome.is_right(case.kind)]
    return "\n".join(
        f"{case.kind} {case.what}, {case.seconds:.1f} s: {outcome.fate} ({outcome.reason}), "
        f"resumed {_s(outcome.resumed_s)}, heard {' | '.join(outcome.heard) or 'nothing'}"
        for case, outcome in failed
    )


def _alike(judged: Sequence[Judged]) -> list[tuple[str, list[Judged]]]:
    def name(each: Judged) -> str:
        case = each[0]
        return case.what if case.kind == "noise" else case.language

    return [(key, list(some)) for key, some in groupby(sorted(judged, key=name), key=name)]


def _line(name: str, judged: Sequence[Judged]) -> str:
    rates = _rates(judged)
    silence = " / ".join(f"{value:.0f}" for value in rates.get("silence_ms", ())) or "-"
    pause, resumed = (
        " / ".join(f"{value:.2f}" for value in rates.get(key, ())) or "-" for key in ("pause_s", "resumed_s")
    )
    return f"{name:<26} {rates['n']:4} {rates['right']:6} {rates['rate']:5.2f}  {silence:>19} {pause:>12} {resumed:>12}"


def _rates(judged: Sequence[Judged]) -> Mapping[str, Any]:
    if not judged:
        return {}
    right = sum(outcome.is_right(case.kind) for case, outcome in judged)
    rates: dict[str, Any] = {"n": len(judged), "right": right, "rate": round(right / len(judged), 4)}
    went_on = [outcome for _, outcome in judged if outcome.fate in ("went_on", "answered")]
    rates |= _spread("silence_ms", [outcome.silence_s for _, outcome in judged], lambda value: round(value * 1000))
    rates |= _spread("pause_s", [outcome.pause_s for outcome in went_on], lambda value: round(value, 2))
    return rates | _spread("resumed_s", [outcome.resumed_s for outcome in went_on], lambda value: round(value, 2))


def _spread(name: str, values: Sequence[float | None], shown: Callable[[float], float]) -> dict[str, list[float]]:
    """Median and 95th percentile of what there is."""
    known = [value for value in values if value is not None]
    return {name: [shown(percentile(known, 50)), shown(percentile(known, 95))]} if known else {}


def _s(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.2f} s"
