"""Reads a trace of PyTorch's profiler: which bursts of work a GPU had, and which kernels took how much of each."""

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.gpu.sections import Row

ON_A_GPU = ("kernel", "gpu_memcpy", "gpu_memset")
ON_A_CPU = ("cpu_op",)  # of a dry run
QUIET_US = 5_000.0  # without work a burst is over: within a step the host is never that late
MOST = 16  # kernels that are told
NAME = 90  # letters of each

Span = tuple[float, float, str]  # when work began and how long it took, in µs, and its name


@dataclass(frozen=True, slots=True)
class Burst:
    """Work without a long pause.

    Attributes:
        wall_ms, busy_ms: From its beginning to its end; and in which there was any work.
        kernels: Of each kind its name, how often it ran and how long it took in all, in ms; the longest first.
    """

    wall_ms: float
    busy_ms: float
    kernels: tuple[tuple[str, int, float], ...]

    def rows(self) -> list[Row]:
        """The burst, and its longest kernels."""
        head: Row = {"wall_ms": self.wall_ms, "busy_ms": self.busy_ms, "kernels": sum(n for _, n, _ in self.kernels)}
        return [head, *({"ms": ms, "count": count, "kernel": name[:NAME]} for name, count, ms in self.kernels[:MOST])]


def bursts(trace: Path) -> list[Burst]:
    """In their order. Where there was no GPU they are those of the processor's operations."""
    events = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    timed = [each for each in events if each.get("ph") == "X"]
    work = [each for each in timed if each.get("cat") in ON_A_GPU]
    work = work or [each for each in timed if each.get("cat") in ON_A_CPU]
    spans = sorted((each["ts"], each["dur"], each["name"]) for each in work)
    return [burst_of(each) for each in _parted(spans)]


def burst_of(spans: Iterable[Span]) -> Burst:
    """All of that work as one burst."""
    ordered, busy, until, found = sorted(spans), 0.0, 0.0, dict[str, tuple[int, float]]()
    for at, took, name in ordered:
        busy += max(0.0, at + took - max(at, until))
        until = max(until, at + took)
        count, so_far = found.get(name, (0, 0.0))
        found[name] = count + 1, so_far + took
    longest = sorted(found.items(), key=lambda item: -item[1][1])
    kernels = tuple((name, count, took / 1000) for name, (count, took) in longest)
    return Burst((until - ordered[0][0]) / 1000 if ordered else 0.0, busy / 1000, kernels)


def newest(folder: Path) -> Path:
    """The trace that an engine's profiler wrote there last."""
    return max(folder.glob("rank0*.json.gz"), key=lambda each: each.stat().st_mtime)


def _parted(spans: Sequence[Span]) -> Iterator[list[Span]]:
    part, ends = list[Span](), 0.0
    for span in spans:
        at, took, _ = span
        if part and at - ends > QUIET_US:
            yield part
            part = []
        part.append(span)
        ends = max(ends, at + took)
    if part:
        yield part
