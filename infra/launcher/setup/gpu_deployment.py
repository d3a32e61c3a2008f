"""Which deployment fits the GPUs of this machine, and whether its checkpoints are there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.base.errors import Missing
from infra.launcher.base.settings import VLLM
from pipeline.runtime.checks.gpus import GIB, described


@dataclass(frozen=True, slots=True)
class HardwareNeed:
    """What a shipped deployment needs: so many GPUs of so many GiB, of which drivers keep a little, and checkpoints."""

    file: str
    gpus: int
    gib: int
    words: str
    folders: tuple[str, ...]


LARGE = ("Qwen3-ASR-1.7B", "AURA", "Qwen3-TTS-12Hz-1.7B-CustomVoice")
OMNI = ("Qwen3-Omni-30B-A3B-Instruct", "Qwen3-ASR-1.7B")
SMALL = ("Qwen3-ASR-0.6B", "AURA-AWQ", "Qwen3-TTS-12Hz-0.6B-CustomVoice")
HUB_NAMES = {  # AURA-AWQ is published nowhere
    "Qwen3-ASR-1.7B": "Qwen/Qwen3-ASR-1.7B",
    "Qwen3-ASR-0.6B": "Qwen/Qwen3-ASR-0.6B",
    "AURA": "aurateam/AURA",
    "Qwen3-Omni-30B-A3B-Instruct": "Qwen/Qwen3-Omni-30B-A3B-Instruct",
    "Qwen3-TTS-12Hz-1.7B-CustomVoice": "Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice",
    "Qwen3-TTS-12Hz-0.6B-CustomVoice": "Qwen/Qwen3-TTS-12Hz-0.6B-CustomVoice",
}
NEEDS = (  # the best first
    HardwareNeed("aura_80gb.yaml", 1, 76, "one GPU of 80 GB", LARGE),
    HardwareNeed("aura_2gpu.yaml", 2, 39, "two GPUs of 40 GB", LARGE),
    HardwareNeed("aura_24gb.yaml", 1, 22, "one GPU of 24 GB", SMALL),
)
OMNI_NEEDS = (HardwareNeed("qwen3_omni.yaml", 1, 130, "one GPU of 141 GB", OMNI),)
NEEDS_OF = {"vllm": NEEDS, "qwen3_omni": OMNI_NEEDS}  # by profile


def fitting(
    deploy: Path, asked: Path | None, gpu_bytes: Sequence[int], *, own_venv: bool = False, profile: str = VLLM
) -> Path:
    """The deployment that was asked for, or the best one that the machine can run.

    Args:
        deploy: The folder of the shipped files.
        own_venv: The vLLM that it will run on is somebody's own, and may need no GPU.

    Raises:
        Missing: The GPUs are too small for it, or there are none; names the file that would fit.
    """
    needs = NEEDS_OF[profile]
    best = next((need for need in needs if fits(need, gpu_bytes)), None)
    needed = need_of(deploy, asked) if asked else None
    if not gpu_bytes and asked and needed is None and own_venv:
        return asked
    if not gpu_bytes:
        raise Missing(
            f"the profile `{profile}` needs {needs[-1].words} at least, and this machine has no NVIDIA GPU; "
            "a vLLM and a deployment of your own (--vllm-venv, --stage-configs-path) may run without one"
        )
    has = f"this machine has {described(gpu_bytes)}"
    if asked and (needed is None or fits(needed, gpu_bytes)):
        return asked
    if best is None:
        raise Missing(f"the profile `{profile}` needs {needs[-1].words} at least ({needs[-1].file}); {has}")
    if needed:
        raise Missing(f"{needed.file} needs {needed.words}; {has}: {best.file} would fit")
    return deploy / best.file


def check_folders(deploy: Path, deployment: Path, models: Path, *, hub: bool = False) -> None:
    """Whether what a shipped deployment names is there, or can be had; of somebody's own file the pipeline tells.

    Args:
        hub: What is published may be missing.

    Raises:
        Missing: Names every folder that is not there, or that nobody has published.
    """
    lacking = absent(deploy, deployment, models)
    if unpublished := [folder for folder in lacking if folder not in HUB_NAMES] if hub else []:
        raise Missing(
            f"--hub: {', '.join(unpublished)}, which {deployment.name} needs, is published nowhere: "
            f"quantise AURA to 4 bits (AWQ) yourself, and put it into {models}"
        )
    if lacking and not hub:
        raise Missing(f"--model-dir: {deployment.name} needs the folders {', '.join(lacking)}, which {models} lacks")


def absent(deploy: Path, deployment: Path, models: Path) -> list[str]:
    """The folders of a shipped deployment that are not there."""
    need = need_of(deploy, deployment)
    return [folder for folder in need.folders if not (models / folder).is_dir()] if need else []


def need_of(deploy: Path, deployment: Path) -> HardwareNeed | None:
    """Returns what a shipped deployment needs; None: it is none of ours."""
    known = (need for needs in NEEDS_OF.values() for need in needs)
    return next((need for need in known if deployment.resolve() == (deploy / need.file).resolve()), None)


def fits(need: HardwareNeed, gpu_bytes: Sequence[int]) -> bool:
    """The first GPUs count: deployments name them by number."""
    return len(gpu_bytes) >= need.gpus and all(size >= need.gib * GIB for size in gpu_bytes[: need.gpus])
