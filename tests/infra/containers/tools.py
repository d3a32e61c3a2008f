"""The programs with which these tests look at containers, as `infra/test` brings them."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CONTAINERS = ROOT / "infra" / "containers"
HOME = Path(os.environ.get("AURA_HOME") or ROOT / ".aura")


def program(name: str) -> Path:
    """One of them; skips the test where it was not brought (`infra/test unit` brings none)."""
    for found in (HOME / "bin" / name, HOME / "tools" / "checkers" / "bin" / name):
        if found.is_file():
            return found
    pytest.skip(f"{name} is not here: infra/test brings it")


def schemas() -> Path:
    """The folder of Kubernetes' schemas of the newest version that the package has."""
    program("hadolint")  # they come together
    return HOME / "tools" / "checkers" / "kubernetes_validate" / "kubernetes-json-schema"
