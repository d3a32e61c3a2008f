"""Reads a trace of PyTorch's profiler: which bursts of work a GPU had, and which kernels took how much of each."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.gpu.sections import Row

ON_A_GPU = ("kernel", "gpu_memcpy", "gpu_memset")
ON_A_CPU = ("cpu_op",)  # of a dry run
QUIET_US = 5_000.0  # without work a burst is over: within a step the host is never that late
MOST = 16  # kernels that are told
NAME = 90  # letters of each


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
    return [_burst(each) for each in _parted(sorted(work, key=lambda each: float(each["ts"])))]


def _parted(work: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    part, ends = list[dict[str, Any]](), 0.0
    for each in work:
        if part and each["ts"] - ends > QUIET_US:
            yield part
            part = []
        part.append(each)
        ends = max(ends, each["ts"] + each["dur"])
    if part:
        yield part


def _burst(work: Sequence[dict[str, Any]]) -> Burst:
    busy, until, found = 0.0, work[0]["ts"], dict[str, tuple[int, float]]()
    for each in work:
        ends = each["ts"] + each["dur"]
        busy += max(0.0, ends - max(each["ts"], until))
        until = max(until, ends)
        count, took = found.get(each["name"], (0, 0.0))
        found[each["name"]] = count + 1, took + each["dur"]
    longest = sorted(found.items(), key=lambda item: -item[1][1])
    kernels = tuple((name, count, took / 1000) for name, (count, took) in longest)
    return Burst((until - work[0]["ts"]) / 1000, busy / 1000, kernels)
