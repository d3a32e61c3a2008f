"""A profiler's trace is told as bursts of work with their longest kernels."""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.gpu.kernel_trace import Burst, bursts


def event(name: str, at_us: float, took_us: float, kind: str = "kernel") -> dict[str, Any]:
    return {"ph": "X", "cat": kind, "name": name, "ts": at_us, "dur": took_us}


def traced(folder: Path, *events: dict[str, Any]) -> list[Burst]:
    trace = folder / "trace.json.gz"
    trace.write_bytes(gzip.compress(json.dumps({"traceEvents": [{"ph": "M"}, *events]}).encode()))
    return bursts(trace)


def test_work_behind_a_pause_is_another_burst_and_each_names_its_longest_kernels(tmp_path: Path) -> None:
    first, second = traced(
        tmp_path,
        event("matrix", 9_000, 1_000),
        event("matrix", 0, 3_000),
        event("norm", 2_500, 1_500),  # beside the first
        event("copy", 5_000, 500, "gpu_memcpy"),
        event("launch", 0, 20_000, "cpu_op"),
        event("matrix", 15_500, 2_000),
    )
    assert (first.wall_ms, first.busy_ms) == (10.0, 5.5)
    assert first.kernels == (("matrix", 2, 4.0), ("norm", 1, 1.5), ("copy", 1, 0.5))
    assert first.rows()[:2] == [
        {"wall_ms": 10.0, "busy_ms": 5.5, "kernels": 4},
        {"ms": 4.0, "count": 2, "kernel": "matrix"},
    ]
    assert second == Burst(2.0, 2.0, (("matrix", 1, 2.0),))


def test_without_a_gpu_the_operations_of_the_processor_are_told(tmp_path: Path) -> None:
    assert traced(tmp_path, event("aten::mm", 0, 1_000, "cpu_op")) == [Burst(1.0, 1.0, (("aten::mm", 1, 1.0),))]
    assert traced(tmp_path) == []
