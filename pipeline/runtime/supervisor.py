"""An engine that is opened anew when it has died."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Protocol, runtime_checkable

from pipeline.aio import startup_objects as heap
from pipeline.engines.base import Engine
from pipeline.errors import AuraError, EngineError

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0  # before an engine is opened again; each time twice as long
PROVEN_S = 300.0  # an engine that has lived so long was no failed start

Reopen = Callable[[], Awaitable[Engine[Any, Any]]]


@runtime_checkable
class RestartableEngine(Engine[Any, Any], Protocol):
    """An engine whose process may end before we end it."""

    async def died(self) -> None:
        """Returns when it can serve nothing any more, and all its requests have been told so."""
        ...


class Supervisor:
    """`Engine[Any, Any]`. While there is none, requests fail at once, and the pipeline is not ready.

    Args:
        stage: Named in errors.
        engine: That was opened; it is ours to close.
        reopen: Opens another one like it.
    """

    def __init__(self, stage: str, engine: RestartableEngine, reopen: Reopen) -> None:
        self._stage = stage
        self._reopen = reopen
        self._engine: RestartableEngine | None = engine

    @property
    def is_up(self) -> bool:
        return self._engine is not None

    async def generate(self, request_id: str, prompts: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        """
        Raises:
            EngineError: As the engine itself; or there is none.
        """
        if self._engine is None:
            raise EngineError(self._stage, "the engine has died and is being started again")
        async with aclosing(self._engine.generate(request_id, prompts)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def busy(self) -> int:
        return await self._engine.busy() if self._engine else 0

    async def aclose(self) -> None:
        if engine := self._engine:
            self._engine = None
            await engine.aclose()

    async def tend(self) -> None:
        """Wait for the engine's death and open another one, again and again; never returns."""
        clock = asyncio.get_running_loop().time
        pause_s = FIRST_PAUSE_S
        while engine := self._engine:
            began = clock()
            await engine.died()
            if clock() - began > PROVEN_S:
                pause_s = FIRST_PAUSE_S
            log.error("%s has died, and is started again in %.0f s", self._stage, pause_s)
            await self.aclose()
            del engine
            pause_s = await self._open_again(pause_s)

    async def _open_again(self, pause_s: float) -> float:
        """Try until one has started; returns the pause before the next try."""
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            began = clock()
            try:
                engine = await self._reopen()
            except (AuraError, OSError) as error:
                log.error("%s did not start again: %s", self._stage, error)
            else:
                log.info("%s started again in %.1f s", self._stage, clock() - began)
                assert isinstance(engine, RestartableEngine)
                heap.freeze_startup_objects()  # the one before it may hold gigabytes
                self._engine = engine
                return pause_s
