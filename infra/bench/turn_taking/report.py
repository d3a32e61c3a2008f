"""Rates of many cases, as a table for a terminal and as plain values, and the cases back from these."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from infra.bench.base.figures import percentile
from infra.bench.base.speech import silence
from infra.bench.turn_taking.outcome import Fate, Outcome
from infra.bench.turn_taking.sounds.cases import CLASSES, Case, CaseClass

Judged = tuple[Case, Outcome]
CUT_IN = "  of {pauses} pauses inside turns {cut_in} were cut in on: {cut_in_rate:.1%}; {unanswered} turns unanswered"


class KeptCase(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """A case of `plain`, without its sound."""

    kind: CaseClass
    what: str
    language: str
    seconds: float
    longest_pause_s: float
    pauses: int
    fate: Fate
    silence_s: float | None
    pause_s: float
    resumed_s: float | None
    lost_s: float
    heard: tuple[str, ...]
    reason: str
    stopped_s: float | None = None

    def judged(self) -> Judged:
        case = Case(self.kind, self.what, self.language, silence(self.seconds), 0.0, self.longest_pause_s, self.pauses)
        return case, Outcome(
            self.fate,
            self.silence_s,
            self.pause_s,
            self.resumed_s,
            self.lost_s,
            self.heard,
            self.reason,
            self.stopped_s,
        )


class KeptReport(msgspec.Struct, frozen=True):
    """What `plain` tells, as far as it is read again."""

    cases: tuple[KeptCase, ...]


def table(judged: Sequence[Judged], *, details: bool = False) -> str:
    """Rates by class, or with `details` by what is alike in a class as well: the language, or the noise and its level.

    The columns: cases; how many did what they were to do, and their share; ms from the onset to silence, and s until
    an answer that stopped was silent for good; s of silence until an answer that went on did so, and s from the sound's
    end until then, or until a turn with pauses is answered (median / p95).
    """
    lines = [
        f"{'class':<26} {'n':>4} {'right':>6} {'rate':>5}  {'onset → silence ms':>19} {'→ stopped s':>12} "
        f"{'pause s':>12} {'resumed s':>12}"
    ]
    for kind in CLASSES:
        of_class = [each for each in judged if each[0].kind == kind]
        if of_class:
            lines.append(_line(kind, of_class))
            if cut_in := _cut_in(of_class):
                lines.append(CUT_IN.format(**cut_in))
        if details:
            lines += [_line(f"  {name}", some) for name, some in _alike(of_class)]
    return "\n".join(lines)


def plain(judged: Sequence[Judged]) -> dict[str, Any]:
    """All rates and all cases, for JSON."""
    rates = {kind: _rates([each for each in judged if each[0].kind == kind]) for kind in CLASSES}
    cases = [
        {"class": case.kind, "what": case.what, "language": case.language, "seconds": round(case.seconds, 2)}
        | {"longest_pause_s": round(case.longest_pause_s, 2), "pauses": case.pauses, **asdict(outcome)}
        | {"right": outcome.is_right(case.kind)}
        for case, outcome in judged
    ]
    return {"rates": {kind: rate for kind, rate in rates.items() if rate}, "cases": cases}


def _cut_in(judged: Sequence[Judged]) -> Mapping[str, Any]:
    """In how many pauses inside turns the agent was heard, once a turn; and how many turns had no answer."""
    pauses = sum(case.pauses for case, _ in judged)
    if not pauses:
        return {}
    cut_in, unanswered = (
        sum(outcome.fate in fates for _, outcome in judged) for fates in (("cut_in",), ("unanswered", "stuck"))
    )
    return {"pauses": pauses, "cut_in": cut_in, "cut_in_rate": round(cut_in / pauses, 4), "unanswered": unanswered}


def read_judged(paths: Sequence[Path]) -> list[Judged]:
    """The cases of several such files, with silence for their sounds.

    Raises:
        OSError: One cannot be read.
        ValueError: One holds something else; it says which.
    """
    judged: list[Judged] = []
    for path in paths:
        try:
            judged += [case.judged() for case in msgspec.json.decode(path.read_bytes(), type=KeptReport).cases]
        except msgspec.DecodeError as error:
            raise ValueError(f"{path}: {error}") from error
    return judged


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
    seconds = (
        " / ".join(f"{value:.2f}" for value in rates.get(key, ())) or "-"
        for key in ("stopped_s", "pause_s", "resumed_s")
    )
    columns = " ".join(f"{each:>12}" for each in seconds)
    return f"{name:<26} {rates['n']:4} {rates['right']:6} {rates['rate']:5.2f}  {silence:>19} {columns}"


def _rates(judged: Sequence[Judged]) -> Mapping[str, Any]:
    if not judged:
        return {}
    right = sum(outcome.is_right(case.kind) for case, outcome in judged)
    rates: dict[str, Any] = {"n": len(judged), "right": right, "rate": round(right / len(judged), 4)}
    rates |= _cut_in(judged)
    went_on = [outcome for _, outcome in judged if outcome.fate in ("went_on", "answered")]
    rates |= _spread("silence_ms", [outcome.silence_s for _, outcome in judged], lambda value: round(value * 1000))
    rates |= _spread("stopped_s", [outcome.stopped_s for _, outcome in judged], lambda value: round(value, 2))
    rates |= _spread("pause_s", [outcome.pause_s for outcome in went_on], lambda value: round(value, 2))
    return rates | _spread("resumed_s", [outcome.resumed_s for outcome in went_on], lambda value: round(value, 2))


def _spread(name: str, values: Sequence[float | None], shown: Callable[[float], float]) -> dict[str, list[float]]:
    """Median and 95th percentile of what there is."""
    known = [value for value in values if value is not None]
    return {name: [shown(percentile(known, 50)), shown(percentile(known, 95))]} if known else {}


def _s(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.2f} s"


def keep_report(judged: Sequence[Judged], out: Path | None) -> None:
    """Write them down for `merge`; a report that is there is replaced as a whole."""
    if out:
        part = out.with_name(f"{out.name}.part")  # whoever is killed meanwhile leaves the one before
        part.write_text(json.dumps(plain(judged), indent=1, ensure_ascii=False) + "\n")
        part.replace(out)
