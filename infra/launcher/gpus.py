"""Which deployment fits the GPUs of this machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.errors import Missing
from pipeline.gpus import GIB, described


@dataclass(frozen=True, slots=True)
class Need:
    """What a shipped deployment needs: so many GPUs of so many GiB, of which drivers keep a little."""

    file: str
    gpus: int
    gib: int
    words: str


NEEDS = (  # the best first
    Need("aura_80gb.yaml", 1, 76, "one GPU of 80 GB"),
    Need("aura_2gpu.yaml", 2, 39, "two GPUs of 40 GB"),
    Need("aura_24gb.yaml", 1, 22, "one GPU of 24 GB"),
)


def fitting(deploy: Path, asked: Path | None, gpu_bytes: Sequence[int]) -> Path:
    """The deployment that was asked for, or the best one that the machine can run.

    Args:
        deploy: The folder of the shipped files.

    Raises:
        Missing: The GPUs are too small for it, or there are none; names the file that would fit.
    """
    best = next((need for need in NEEDS if fits(need, gpu_bytes)), None)
    told = next((need for need in NEEDS if asked and asked.resolve() == (deploy / need.file).resolve()), None)
    if not gpu_bytes:
        raise Missing(f"the profile `vllm` needs {NEEDS[-1].words} at least, and this machine has no NVIDIA GPU")
    has = f"this machine has {described(gpu_bytes)}"
    if asked and (told is None or fits(told, gpu_bytes)):
        return asked
    if best is None:
        raise Missing(f"the profile `vllm` needs {NEEDS[-1].words} at least ({NEEDS[-1].file}); {has}")
    if told:
        raise Missing(f"{told.file} needs {told.words}; {has}: {best.file} would fit")
    return deploy / best.file


def fits(need: Need, gpu_bytes: Sequence[int]) -> bool:
    """The first GPUs count: deployments name them by number."""
    return len(gpu_bytes) >= need.gpus and all(size >= need.gib * GIB for size in gpu_bytes[: need.gpus])
