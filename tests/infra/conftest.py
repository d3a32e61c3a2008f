"""What the tests of the launcher share. They run real processes, so they run on the real clock."""

import io
from pathlib import Path

import pytest

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def screen() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def display(screen: io.StringIO) -> Display:
    return Display(screen)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(root=Path(__file__).parents[2], home=tmp_path / "home", run=tmp_path / "run")
