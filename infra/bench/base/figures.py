"""Figures and how they are shown."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest rank: of 20 values, the 95th percentile is the second largest."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(percent / 100 * len(ranked)) - 1)]


@dataclass(frozen=True, slots=True)
class Figure:
    """Several measurements of one thing, in seconds."""

    count: int
    median: float
    p95: float
    least: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Figure":
        marks = median(seconds), percentile(seconds, 95), min(seconds), max(seconds)
        return cls(len(seconds), *(round(value, 3) for value in marks))


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one part of the stack costs, its child processes included.

    Attributes:
        pss_mb: Memory, with what several processes share counted once.
        idle_cpu: Share of one core while nobody calls.
    """

    processes: int
    pss_mb: float
    idle_cpu: float


def table(figures: Mapping[str, Figure], footprints: Mapping[str, Footprint]) -> str:
    """Both, for a terminal."""
    width = max(map(len, figures))
    lines = [f"{'seconds':<{width}}   n  median    p95    min    max"]
    for name, figure in figures.items():
        values = (figure.median, figure.p95, figure.least, figure.most)
        lines.append(f"{name:<{width}}  {figure.count:2}  " + " ".join(f"{value:6.2f}" for value in values))
    lines += ["", f"{'part':<{width}}  processes  PSS MB  idle CPU %"]
    for name, part in footprints.items():
        lines.append(f"{name:<{width}}  {part.processes:9}  {part.pss_mb:6.0f}  {part.idle_cpu * 100:10.1f}")
    whole = Footprint(*map(sum, zip(*(asdict(part).values() for part in footprints.values()), strict=True)))
    lines.append(f"{'all':<{width}}  {whole.processes:9}  {whole.pss_mb:6.0f}  {whole.idle_cpu * 100:10.1f}")
    return "\n".join(lines)
