"""Places the callers of a load test: at several servers, each goes where most places are free."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext

from pipeline.realtime.client import RealtimeClient, Unreachable, connect, readiness

CONNECTS_S = 20.0  # in which a server has to say whether it has a place


class Placing:
    """Knows the servers.

    Args:
        urls: Of one, which is asked nothing, or of several, which tell their places as a pipeline does.
        together: Callers who begin when each of them has a place, or knows that there is none.
    """

    def __init__(self, urls: Sequence[str], key: str, *, together: int = 0) -> None:
        self._urls, self._key = tuple(urls), key
        one_by_one: AbstractAsyncContextManager[None] = asyncio.Lock()  # each sees those before them take their places
        self._turn = one_by_one if len(self._urls) > 1 else nullcontext()
        self._missing = together
        self._all = asyncio.Event()

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[tuple[str, RealtimeClient]]:
        """A call, and the URL of the server that it is at.

        Raises:
            PipelineError: As `pipeline.realtime.client.connect`; who is not connected in time has met nobody.
        """
        async with AsyncExitStack() as call:
            url = self._urls[0]
            try:
                async with self._turn, asyncio.timeout(CONNECTS_S):
                    url = await self._emptiest()
                    pipeline = await call.enter_async_context(connect(url, self._key))
            except TimeoutError as error:
                raise Unreachable(f"no pipeline answers at {url} in {CONNECTS_S:g} s") from error
            finally:
                self._missing -= 1
                if self._missing <= 0:
                    self._all.set()
            await self._all.wait()
            yield url, pipeline

    async def _emptiest(self) -> str:
        """The first of those with most free places; one that does not answer has none."""
        if len(self._urls) == 1:
            return self._urls[0]
        free = await asyncio.gather(*map(_free, self._urls))
        return self._urls[free.index(max(free))]


async def _free(url: str) -> int:
    try:
        return (await readiness(url)).free_sessions
    except Unreachable:
        return -1
