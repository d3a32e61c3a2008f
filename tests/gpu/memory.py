"""What GPUs hold, as their driver tells."""

import os
import subprocess
from collections.abc import Iterator

USED = ("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits")
APPS = ("nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")


def gpu_mib() -> int | None:
    """Of the first GPU, whoever uses it."""
    try:
        said = subprocess.run(USED, capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return int(said.split()[0])


def mib_by_process() -> Iterator[tuple[int, int]]:
    """Who uses GPUs, by pid."""
    try:
        said = subprocess.run(APPS, capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return
    for line in said.splitlines():
        pid, _, mib = line.partition(",")
        if pid.strip().isdecimal() and mib.strip().isdecimal():
            yield int(pid), int(mib)


def own_gpu_mib() -> int:
    """Of this process and those of its group."""
    return sum(mib for pid, mib in mib_by_process() if _is_of_our_group(pid))


def _is_of_our_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == os.getpgrp()
    except ProcessLookupError:
        return False
