"""Which kernels take the time of a computation on a GPU."""

from collections.abc import Callable
from typing import Any

import torch


def kernels(compute: Callable[[], object], times: int = 10) -> list[dict[str, Any]]:
    """Kernels with their number and their microseconds in one run of `compute`, the most costly first."""
    compute()
    with torch.profiler.profile() as profile:
        for _ in range(times):
            compute()
    found = [
        {"us": round(each.self_device_time_total / times, 1), "count": each.count / times, "kernel": each.key[:120]}
        for each in profile.key_averages()
        if each.self_device_time_total
    ]
    return sorted(found, key=lambda each: -float(each["us"]))
