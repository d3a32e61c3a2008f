"""Every async test runs on virtual time, unless its folder says otherwise."""

import gc
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.virtual_time import VirtualTimeLoop

ORDER = ("contract", "e2e")  # after all others, in this order


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays to the end: nothing looks through it for garbage, neither now nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick tests first, and none behind those that share a fixture: anyio keeps one loop, in real time, for as
    long as an async fixture of the whole session lives."""
    items.sort(key=lambda item: _place(item.path))


def _place(path: Path) -> int:
    return next((place for place, folder in enumerate(ORDER, 1) if folder in path.parts), 0)
