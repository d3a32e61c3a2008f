"""Which profiles `infra/up` can start: those that come with AURA, and those of packages in the stack's venv."""

import os
from collections.abc import Mapping
from importlib.metadata import distributions

from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import SHIPPED_PROFILES

GROUP = "aura.pipelines"  # of entry points, as `pipeline/runtime/profiles.py` looks them up


def known_profiles(layout: Layout, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The names, those that come with AURA first. No package is imported: the launcher runs in another venv."""
    places = [str(folder) for folder in sorted(layout.venv.glob("lib/python3*/site-packages"))]
    places += [place for place in environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    brought = {
        entry.name
        for package in distributions(path=places)
        for entry in package.entry_points
        if entry.group == GROUP and entry.name not in SHIPPED_PROFILES
    }
    return (*SHIPPED_PROFILES, *sorted(brought))
