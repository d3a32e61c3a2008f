"""Tests against things that nobody here wrote: real clients, models, engines. They run in real time."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from pipeline.engines.image_recognition.engine import ImageRecognitionEngine

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


@pytest.fixture(scope="module")
async def eyes(anyio_backend: object, models_dir: Path) -> AsyncGenerator[ImageRecognitionEngine, None]:
    """The real models that look at pictures, for a module whose event loop lasts as long (`MODULE_BACKEND`)."""
    engine = await ImageRecognitionEngine.open(models_dir)
    yield engine
    await engine.aclose()
