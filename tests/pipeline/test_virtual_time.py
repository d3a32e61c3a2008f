"""The clock that the unit tests stand on."""

import asyncio

import pytest

from tests.virtual_time import VirtualTimeLoop


async def test_an_hour_passes_at_once() -> None:
    loop = asyncio.get_running_loop()
    await asyncio.sleep(3600)
    assert loop.time() == 3600


async def test_timeouts_fire_in_virtual_time() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2.5):
            await asyncio.sleep(10)
    assert asyncio.get_running_loop().time() == 2.5


def test_a_deadlock_is_an_error_and_not_a_hang() -> None:
    loop = VirtualTimeLoop()
    waiting = loop.create_task(asyncio.Event().wait())
    with pytest.raises(RuntimeError, match="deadlock"):
        loop.run_until_complete(waiting)
    waiting.cancel()
    loop.run_until_complete(asyncio.gather(waiting, return_exceptions=True))
    loop.close()
