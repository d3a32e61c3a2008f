"""Which profiles `infra/up` can start: those that come with AURA, and those of packages in its venvs."""

import os
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import SHIPPED_PROFILES

GROUP = "aura.pipelines"  # of entry points, as `pipeline/runtime/profiles.py` looks them up


def known_profiles(layout: Layout, environ: Mapping[str, str], vllm_venv: Path | None = None) -> tuple[str, ...]:
    """The names, those that come with AURA first. No package is imported: the launcher runs in another venv.

    Args:
        vllm_venv: Somebody's own, which has vLLM and AURA.
    """
    venvs = (layout.venv, vllm_venv or layout.gpu_venv)
    places = [str(folder) for venv in venvs for folder in sorted(venv.glob("lib/python3*/site-packages"))]
    places += [place for place in environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    brought = {
        entry.name
        for package in distributions(path=places)
        for entry in package.entry_points
        if entry.group == GROUP and entry.name not in SHIPPED_PROFILES
    }
    return (*SHIPPED_PROFILES, *sorted(brought))
