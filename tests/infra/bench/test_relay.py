"""The bench of a relay: it measures both ways, and tells what one adds to the other."""

from typing import Any

import pytest

from infra.bench.relay.__main__ import measure, report
from tests.infra.ray.test_relay import relayed
from tests.served import KEY, served


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Real time: sockets are opened."""
    return "asyncio", {}


@pytest.mark.anyio
async def test_each_pair_is_measured_by_turns() -> None:
    async with served() as pipeline, relayed(pipeline.url) as url:
        direct, through = await measure(pipeline.url, url, KEY, 3)
        assert len(direct) == len(through) == 3 and min(*direct, *through) > 0


def test_what_is_added_is_told_by_its_median() -> None:
    told = report([1.0, 2.0, 3.0], [3.0, 4.5, 6.0])
    assert [line.split()[:3] for line in told.splitlines()] == [
        ["direct", "p50", "2.00"],
        ["through", "p50", "4.50"],
        ["added", "p50", "2.50"],
    ]
