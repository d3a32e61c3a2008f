"""What a soak has found: as JSON, and for people."""

import json
import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from infra.bench.base.figures import percentile
from infra.bench.soak.callers import SoakTally
from infra.bench.soak.leftovers import Held, left_over

OURS = ("pipeline", "agent")  # what a leak is sought in
WARM, CHURN, FAULTS = "warm", "churn", "faults"  # the phases
TOLD = (
    "engines",
    "callers",
    "minutes",
    "load",
    "counts",
    "faults",
    "wait_p50_s",
    "wait_p95_s",
    "growth_percent",
    "leaks",
)

HeldByPart = Mapping[str, Held]


@dataclass(frozen=True, slots=True)
class SoakFindings:
    """All of it, so far.

    Attributes:
        engines: `scripted`, or what is served instead.
        faults: How many of each kind were made.
        minutes: Of calls, by phase.
        held: What each part held when the calls of a phase were over, by phase.
        memory_mb: What no file backs of each part, each minute while there are calls.
        loads: Of the machine, over the minute before, as often.
    """

    engines: str
    callers: int
    tally: SoakTally = field(default_factory=SoakTally)
    faults: Counter[str] = field(default_factory=Counter)
    minutes: dict[str, float] = field(default_factory=dict)
    held: dict[str, HeldByPart] = field(default_factory=dict)
    memory_mb: list[dict[str, float]] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)


def leaks(found: Mapping[str, HeldByPart]) -> dict[str, dict[str, tuple[float, float]]]:
    """What pipeline and agent hold more of after the calls in which nothing failed than before.

    Args:
        found: What each part held, by phase.
    """
    more = {name: left_over(before, after) for name, (before, after) in _ours(found).items()}
    return {name: each for name, each in more.items() if each}


def growth(found: Mapping[str, HeldByPart]) -> dict[str, float]:
    """By how many percent the memory of pipeline and agent that no file backs is more than before; takes the same."""
    return {
        name: round(100 * (after.anonymous_mb / before.anonymous_mb - 1), 2)
        for name, (before, after) in _ours(found).items()
    }


def _ours(found: Mapping[str, HeldByPart]) -> dict[str, tuple[Held, Held]]:
    """What each of them held before and after the calls in which nothing failed; nothing until these are over."""
    if not {WARM, CHURN} <= found.keys():
        return {}
    return {name: (found[WARM][name], found[CHURN][name]) for name in OURS if name in found[WARM]}


def figures(found: SoakFindings) -> dict[str, object]:
    """All of it, as JSON has it."""
    waits = found.tally.waits
    return {
        "engines": found.engines,
        "callers": found.callers,
        "minutes": {phase: round(minutes, 1) for phase, minutes in found.minutes.items()},
        "load": round(statistics.mean(found.loads), 1) if found.loads else None,
        "counts": dict(found.tally.counts),
        "faults": dict(found.faults),
        "wait_p50_s": round(statistics.median(waits), 3) if waits else None,
        "wait_p95_s": round(percentile(waits, 95), 3) if waits else None,
        "growth_percent": growth(found.held),
        "leaks": leaks(found.held),
        "held": {phase: {part: asdict(each) for part, each in parts.items()} for phase, parts in found.held.items()},
        "memory_mb": found.memory_mb,
        "loads": found.loads,
        "notes": found.tally.notes[:10],
    }


def report(found: SoakFindings) -> str:
    """For people: a line for each part, before and after."""
    told = figures(found)
    lines = [f"{name}: {told[name]}" for name in TOLD]
    for phase, parts in found.held.items():
        lines += [f"{phase:7} {part:9} {each}" for part, each in parts.items()]
    return "\n".join([*lines, *found.tally.notes[:3]])


def progress(found: SoakFindings, memory_mb: Mapping[str, float]) -> str:
    """One line: how far it is, and what it sees.

    Args:
        memory_mb: What no file backs of each part, now.
    """
    phase, minutes = next(reversed(found.minutes.items()))
    counts = ", ".join(f"{count} {what}" for what, count in sorted(found.tally.counts.items()))
    memory = ", ".join(f"{part} {mb:g} MB" for part, mb in memory_mb.items())
    load = f"load {found.loads[-1]:.1f}" if found.loads else ""
    return "; ".join(each for each in (f"{phase}, minute {minutes:.0f}: {counts or 'nothing'}", memory, load) if each)


def keep(found: SoakFindings, out: Path | None) -> None:
    """Write the figures down; a file that is there is replaced as a whole: whoever is killed leaves the one before."""
    if out:
        part = out.with_name(f"{out.name}.part")
        part.write_text(json.dumps(figures(found), indent=1) + "\n")
        part.replace(out)
