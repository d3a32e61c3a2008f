"""The GPUs of this machine that may be used, as its driver tells."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

GIB = 1 << 30
ASK = ("nvidia-smi", "--query-gpu=index,uuid,memory.total", "--format=csv,noheader,nounits")  # MiB, one line each
PATIENCE_S = 20.0
VISIBLE = "CUDA_VISIBLE_DEVICES"  # which nvidia-smi does not heed


@dataclass(frozen=True, slots=True)
class Gpu:
    """One of the machine's, whoever may see it."""

    index: str
    uuid: str
    size: int  # bytes


def gpu_bytes(visible: str | None) -> tuple[int, ...]:
    """Memory of each that may be used, in the order in which CUDA numbers them; none where there is no driver.

    Args:
        visible: What the environment says in `CUDA_VISIBLE_DEVICES`: numbers or UUIDs, with commas between them; None:
            all. As in CUDA, a UUID may be cut short, and what names no GPU ends the list. A part of a GPU (MIG) is
            none here: nvidia-smi does not list them.
    """
    there = _gpus()
    if visible is None:
        return tuple(gpu.size for gpu in there)
    sizes = []
    for name in visible.split(","):
        named = [gpu for gpu in there if _is_named(gpu, name.strip())]
        if len(named) != 1:
            break
        sizes.append(named[0].size)
    return tuple(sizes)


def described(sizes: Sequence[int]) -> str:
    """In words, what such GPUs there are."""
    return ", ".join(f"GPU {number} of {size / GIB:.0f} GiB" for number, size in enumerate(sizes))


def _is_named(gpu: Gpu, name: str) -> bool:
    return name == gpu.index or (name.startswith("GPU-") and gpu.uuid.startswith(name))


@cache
def _gpus() -> tuple[Gpu, ...]:
    try:
        said = subprocess.run(ASK, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    lines = [[each.strip() for each in line.split(",")] for line in said.splitlines()]
    return tuple(Gpu(line[0], line[1], int(line[2]) << 20) for line in lines if len(line) == 3 and line[2].isdecimal())
