"""One stack for all tests here, a voice, ears, and a second agent that can be observed."""

import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.observed import Observed, observed_agent
from tests.e2e.speech import Ears, Voice
from tests.e2e.stack import ROOT, Stack, stack_in

GRACE_S = 4  # for which the agent waits for somebody who has left; by default it is a minute
OUT = Path(__file__).parent / "out"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Real time."""
    return "asyncio", {}


@pytest.fixture(scope="session")
def environ() -> Mapping[str, str]:
    """In which everything here is started."""
    home = os.environ.get("AURA_HOME") or str(ROOT / ".aura")
    return {**os.environ, "AURA_HOME": home, "AURA_AGENT_GRACE_S": str(GRACE_S)}


@pytest.fixture(scope="session")
async def stack(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stack]:
    async with stack_in(tmp_path_factory.mktemp("stack"), environ) as running:
        yield running


@pytest.fixture(scope="session")
async def observed(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Observed]:
    async with observed_agent(stack, tmp_path_factory.mktemp("observed")) as agent:
        yield agent


@pytest.fixture(scope="session")
def voice() -> Voice:
    return Voice()


@pytest.fixture(scope="session")
def ears(stack: Stack) -> Ears:
    return Ears(stack.layout.models / "whisper-base")


@pytest.fixture
def a_room() -> Callable[[], str]:
    """Names that nobody has used."""
    return lambda: f"test-{secrets.token_hex(4)}"


@pytest.fixture(scope="session")
def out() -> Path:
    """Where pictures for people to look at are put."""
    OUT.mkdir(exist_ok=True)
    return OUT
