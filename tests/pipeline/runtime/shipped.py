"""The shipped deployment, or one that differs from it a little, as `aura-pipeline check` sees it."""

from pathlib import Path

import pytest
import yaml

from pipeline.deployment.loading import read_deployment
from pipeline.errors import ConfigError
from pipeline.runtime.checks.gpus import GIB
from pipeline.runtime.checks.preflight import preflight
from pipeline.runtime.profiles import DEPLOY, PROFILES

SHIPPED = DEPLOY / "aura_80gb.yaml"
H100 = 80 * GIB


def check(file: Path, models_dir: Path | None, *gpus: int, profile: str = "vllm") -> list[str]:
    served = PROFILES[profile]
    deployment = read_deployment(file, served.topology, served.engine_keys(models_dir or DEPLOY))
    return preflight("mine", served, deployment, models_dir, gpus)


def faults(file: Path, models_dir: Path | None, *gpus: int, profile: str = "vllm") -> list[str]:
    with pytest.raises(ConfigError) as refused:
        check(file, models_dir, *gpus, profile=profile)
    return refused.value.faults


def changed(folder: Path, stage_id: int, section: str, **keys: object) -> Path:
    """The shipped file, in which a stage says something else."""
    raw = yaml.safe_load(SHIPPED.read_text())
    raw["stage_args"][stage_id][section] |= keys
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(raw))
    return path
