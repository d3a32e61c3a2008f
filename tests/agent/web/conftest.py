"""The web server on its own, in real time."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agent.web.page_server import Client, PipelineState, page_server


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def state() -> PipelineState:
    return PipelineState()


@pytest.fixture
async def client(state: PipelineState, tmp_path: Path) -> AsyncIterator[Client]:
    (tmp_path / "index.html").write_text("<h1>page</h1>")
    async with page_server(state, tmp_path) as the_client:
        yield the_client
