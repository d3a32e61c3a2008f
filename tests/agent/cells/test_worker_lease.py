"""What a pipeline is told of its cell's worker."""

import asyncio

import pytest

from agent.cells import worker_lease
from agent.cells.worker_lease import TELL_S, WorkerLease
from pipeline.realtime.client import Unreachable

pytestmark = pytest.mark.anyio

URL, KEY = "http://ours:1", "a-key"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    told = list[bool]()

    async def tell(url: str, key: str, worker: str, *, takes_calls: bool, timeout_s: float) -> None:
        assert (url, key) == (URL, KEY) and worker.isalnum()
        told.append(takes_calls)
        if len(told) == 2:
            raise Unreachable(url)

    monkeypatch.setattr(worker_lease, "tell_worker", tell)
    return told


async def test_a_pipeline_that_does_not_hear_that_nobody_is_taken_is_told_once_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = list[bool]()

    async def tell(url: str, key: str, worker: str, *, takes_calls: bool, timeout_s: float) -> None:
        told.append(takes_calls)
        if len(told) < 4:
            raise Unreachable(url)

    monkeypatch.setattr(worker_lease, "tell_worker", tell)
    async with asyncio.TaskGroup() as tasks:
        lease = tasks.create_task(WorkerLease(URL, KEY, lambda: True).run())
        await asyncio.sleep(TELL_S / 2)
        lease.cancel()
    assert told == [True, False, False, False], "the last time it was heard"


async def test_a_pipeline_is_told_again_and_again_and_at_the_end_that_nobody_is_taken(told: list[bool]) -> None:
    connected = True
    async with asyncio.TaskGroup() as tasks:
        lease = tasks.create_task(WorkerLease(URL, KEY, lambda: connected).run())
        await asyncio.sleep(2.5 * TELL_S)
        assert told == [True, True, True], "it goes on where the pipeline was away"
        connected = False
        await asyncio.sleep(TELL_S)
        lease.cancel()
    assert told[3:] == [False, False]
