"""Every async test runs on virtual time, unless its folder says otherwise."""

from typing import Any

import pytest

from tests.virtual_time import VirtualTimeLoop


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}
