"""What GPUs hold, as their driver tells."""

import os
import subprocess
from collections.abc import Iterator, Sequence

USED = ("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits")
INDEX = ("nvidia-smi", "--query-gpu=index", "--format=csv,noheader")
APPS = ("nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")


def gpus() -> tuple[int, ...]:
    """Their numbers."""
    return tuple(int(each) for each in _told(INDEX).split())


def gpu_mib(gpu: int = 0) -> int | None:
    """Of one GPU, whoever uses it."""
    said = _told((*USED, "-i", str(gpu))).strip()
    return int(said) if said.isdecimal() else None


def mib_by_process() -> Iterator[tuple[int, int]]:
    """Who uses GPUs, by pid."""
    for line in _told(APPS).splitlines():
        pid, _, mib = line.partition(",")
        if pid.strip().isdecimal() and mib.strip().isdecimal():
            yield int(pid), int(mib)


def own_gpu_mib() -> int:
    """Of this process and those of its group."""
    return sum(mib for pid, mib in mib_by_process() if _is_of_our_group(pid))


def _told(command: Sequence[str]) -> str:
    """Nothing where there is no driver."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def _is_of_our_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == os.getpgrp()
    except ProcessLookupError:
        return False
