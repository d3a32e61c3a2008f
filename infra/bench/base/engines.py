"""Asks a pipeline's engines themselves whether they compute anything."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import aiohttp

from infra.bench.base.wire import ANSWER_S

POLL_S = 0.02  # who asks without a pause takes the cores from the work that is to end


async def until_idle(ask: Callable[[], Awaitable[Mapping[str, int]]], poll_s: float = POLL_S) -> dict[str, float]:
    """When each engine began to say that it was idle, on the loop's clock; returns when all do.

    Args:
        ask: How many requests each computes now.
        poll_s: Between two questions.
    """
    clock = asyncio.get_running_loop().time
    idle_at: dict[str, float] = {}
    async with asyncio.timeout(ANSWER_S):
        while True:
            busy = await ask()
            now = clock()
            idle_at = {name: idle_at.get(name, now) for name, count in busy.items() if not count}
            if len(idle_at) == len(busy):
                return idle_at
            await asyncio.sleep(poll_s)


async def busy_at(http: aiohttp.ClientSession) -> Mapping[str, int]:
    """Asks `/ready` which engines are busy, at the pipeline that the session is for."""
    async with http.get("/ready") as answer:
        busy: Mapping[str, int] = (await answer.json())["busy"]
    return busy
