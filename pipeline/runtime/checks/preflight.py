"""Finds out what only `serve` would tell otherwise: whether a deployment's models are there, and have room."""

import logging
from collections.abc import Sequence
from pathlib import Path

from pipeline.deployment.loading import Deployment
from pipeline.errors import ConfigError
from pipeline.runtime.checks.deployment_plan import plan_of
from pipeline.runtime.checks.gpu_fit import GpuMemory, misfits
from pipeline.runtime.profiles import Profile

log = logging.getLogger(__name__)

NO_GPU = "note: there is no NVIDIA GPU here, so whether it fits one is not known"
WITHOUT = "note: it runs without"
NO_MODELS = "note: the models were not looked at: --model-dir says where they are"


def preflight(
    source: str, profile: Profile, deployment: Deployment, models_dir: Path | None, gpu_bytes: Sequence[int]
) -> list[str]:
    """The plan in lines, with what could not be looked at.

    Args:
        source: Named in errors.
        models_dir: None: nobody has said where the models are.
        gpu_bytes: Memory of this machine's GPUs.

    Raises:
        ConfigError: Lists every reason for which it could not be served here.
    """
    topology, faults, missed = profile.topology, list[str](), list[str]()
    needs = _needs(profile, deployment, models_dir, faults, missed) if models_dir else {}
    if models_dir:
        lacking = [need for need in profile.needs if not (models_dir / need.path).exists()]
        faults += [f"`{need.path}` is not in {models_dir}: {need.source}" for need in lacking]
    if gpu_bytes:
        faults += misfits(topology, deployment, gpu_bytes, needs)
    if faults:
        raise ConfigError(source, faults)
    placed = any(profile.engines[spec.model_arch].keys.placed for spec in topology.stages)
    notes = [note for note, holds in ((NO_MODELS, not models_dir), (NO_GPU, placed and not gpu_bytes)) if holds]
    return [*plan_of(topology, deployment, gpu_bytes), *missed, *notes]


def _needs(
    profile: Profile, deployment: Deployment, models_dir: Path, faults: list[str], missed: list[str]
) -> dict[int, GpuMemory]:
    """What each stage takes of a GPU; `faults` gets what is wrong with the models, `missed` with optional ones."""
    found: dict[int, GpuMemory] = {}
    for spec in profile.topology.stages:
        try:
            need = profile.engines[spec.model_arch].check(deployment.stage(spec.stage_id), models_dir)
            if not isinstance(need, GpuMemory):
                raise TypeError(f"it gives {type(need).__name__}, not GpuMemory")
            found[spec.stage_id] = need
        except ConfigError as error:
            own, here = f"stage {spec.model_stage}: ", f"stage {spec.stage_id}: "
            lines = [f"{here}{line.removeprefix(own)}" for line in str(error).splitlines()]
            if spec.is_optional:
                missed += [f"{WITHOUT} {spec.model_stage}: {line.removeprefix(here)}" for line in lines]
            else:
                faults += lines
        except OSError as error:
            faults.append(f"stage {spec.stage_id}: {error}")
        except Exception as error:  # a check of somebody else's may fail in any way
            log.exception("a check broke", extra={"stage": spec.model_stage})
            faults.append(f"stage {spec.stage_id}: its check failed: {type(error).__name__}: {error}")
    return found
