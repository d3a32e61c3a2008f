"""Tests against things that nobody here wrote: real clients, models, engines. They run in real time."""

from typing import Any

import pytest


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}
