"""Asks a pipeline's engines themselves whether they compute anything."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass

import aiohttp

from infra.bench.wire import ANSWER_S

POLL_S = 0.02  # who asks without a pause takes the cores from the work that is to end


@dataclass(frozen=True, slots=True)
class Engines:
    """What a pipeline's engines say of themselves: how many requests each computes now, asked over `ask`.

    Attributes:
        unheard: Those that nobody waits for.
        poll_s: Between two questions.
    """

    ask: Callable[[], Awaitable[Mapping[str, int]]]
    unheard: Collection[str] = ()
    poll_s: float = POLL_S

    async def busy(self) -> dict[str, int]:
        return {name: count for name, count in (await self.ask()).items() if name not in self.unheard}

    async def until_busy(self, name: str) -> None:
        async with asyncio.timeout(ANSWER_S):
            while not (await self.busy())[name]:
                await asyncio.sleep(self.poll_s)

    async def until_idle(self) -> dict[str, float]:
        """When each began to say so, on the loop's clock."""
        clock = asyncio.get_running_loop().time
        idle_at: dict[str, float] = {}
        async with asyncio.timeout(ANSWER_S):
            while True:
                busy = await self.busy()
                now = clock()
                idle_at = {name: idle_at.get(name, now) for name, count in busy.items() if not count}
                if len(idle_at) == len(busy):
                    return idle_at
                await asyncio.sleep(self.poll_s)


async def busy_at(http: aiohttp.ClientSession) -> Mapping[str, int]:
    """What `/ready` says of them, at the pipeline that the session is for."""
    async with http.get("/ready") as answer:
        busy: Mapping[str, int] = (await answer.json())["busy"]
    return busy
