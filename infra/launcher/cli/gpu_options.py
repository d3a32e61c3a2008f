"""What `infra/up --profile vllm` is told beside: where the checkpoints are, and how they are deployed."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from infra.launcher.base.errors import BadUsage

PROFILE = "vllm"


@dataclass(frozen=True, slots=True)
class OnGpus:
    """
    Attributes:
        models: Holds a folder for each checkpoint.
        deployment: None: the shipped one that fits.
    """

    models: Path
    deployment: Path | None = None

    def options(self) -> dict[str, str]:
        """As they were given."""
        told = {"--stage-configs-path": str(self.deployment)} if self.deployment else {}
        return {"--model-dir": str(self.models), **told}


def add_gpu_options(up: argparse.ArgumentParser) -> None:
    with_ = f"with --profile {PROFILE}:"
    up.add_argument("--model-dir", type=_absolute, metavar="DIR", help=f"{with_} where its checkpoints are")
    what = f"{with_} its deployment (the shipped one that fits)"
    up.add_argument("--stage-configs-path", type=_absolute, metavar="FILE", help=what)


def gpu_options(asked: argparse.Namespace, profile: str, default: Path) -> OnGpus | None:
    """
    Args:
        default: Where checkpoints from the hub go if nothing is said.

    Raises:
        BadUsage: One is missing, is not there, or is none of the profile's.
    """
    models: Path | None = getattr(asked, "model_dir", None)
    deployment: Path | None = getattr(asked, "stage_configs_path", None)
    if profile != PROFILE:
        if models or deployment:
            raise BadUsage(f"--model-dir and --stage-configs-path are for --profile {PROFILE}")
        return None
    hub = getattr(asked, "hub", False)
    if models is None and not hub:
        raise BadUsage(
            f"--profile {PROFILE} needs --model-dir DIR, which holds a folder for each checkpoint, "
            "or --hub, which fetches them"
        )
    models = models or default
    if not models.is_dir() and (models.exists() or not hub):
        raise BadUsage(f"--model-dir: {models} is no folder")
    if deployment and not deployment.is_file():
        raise BadUsage(f"--stage-configs-path: {deployment} is no file")
    return OnGpus(models, deployment)


def _absolute(text: str) -> Path:
    return Path(text).resolve()
