"""Tests against things that nobody here wrote: real clients, models, engines. They run in real time."""

import os
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Where `infra/up` keeps the models."""
    folder = Path(os.environ.get("AURA_HOME", CHECKOUT / ".aura")) / "models"
    if not folder.is_dir():
        pytest.skip(f"no models in {folder}: infra/up fetches them")
    return folder
