"""What ended calls leave is collected once for all that end within a while."""

import asyncio
import gc

import pytest

from pipeline.aio.garbage import WAITS_S, GarbageCollection

pytestmark = pytest.mark.anyio


async def test_calls_that_end_within_a_while_are_collected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    times = list[float]()
    clock = asyncio.get_running_loop().time
    monkeypatch.setattr(gc, "collect", lambda: times.append(clock()))
    collection, began = GarbageCollection(), clock()
    for _ in range(3):
        collection.soon()
        await asyncio.sleep(WAITS_S / 4)
    await asyncio.sleep(2 * WAITS_S)
    collection.soon()
    await asyncio.sleep(2 * WAITS_S)
    assert [at - began for at in times] == pytest.approx([WAITS_S, 3.75 * WAITS_S], abs=0.1)
