"""The GPUs of this machine, as its driver tells."""

import subprocess
from collections.abc import Sequence
from functools import cache

GIB = 1 << 30
ASK = ("nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits")  # MiB, one line each
PATIENCE_S = 20.0


@cache
def gpu_bytes() -> tuple[int, ...]:
    """Memory of each; none where there is no driver."""
    try:
        said = subprocess.run(ASK, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(int(line) << 20 for line in said.split() if line.isdecimal())


def described(sizes: Sequence[int]) -> str:
    """In words, what such GPUs there are."""
    return ", ".join(f"GPU {number} of {size / GIB:.0f} GiB" for number, size in enumerate(sizes))
