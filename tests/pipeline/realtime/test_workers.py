"""Whose word counts, and for how long."""

import asyncio

import pytest

from pipeline.realtime.workers import LEASE_S, MOST, Workers, WorkerWord

pytestmark = pytest.mark.anyio

YES, NO = WorkerWord(takes_calls=True), WorkerWord(takes_calls=False)


async def test_a_worker_that_says_nothing_any_more_has_died() -> None:
    workers = Workers()
    workers.tell("ann", YES)
    workers.tell("ben", YES)
    await asyncio.sleep(LEASE_S - 1)
    workers.tell("ann", YES)
    await asyncio.sleep(1)
    assert len(workers) == 1
    workers.tell("ann", NO)
    workers.tell("nobody knows her", NO)
    assert len(workers) == 0


async def test_it_keeps_the_words_of_so_many() -> None:
    workers = Workers()
    for number in range(MOST + 5):
        workers.tell(f"worker-{number}", YES)
    assert len(workers) == MOST
