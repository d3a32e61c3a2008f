"""Starts an engine again that has died or hangs, and lets nobody use it meanwhile."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from pipeline.aio import startup_objects as heap
from pipeline.engines.base import Engine
from pipeline.errors import AuraError, EngineError

log = logging.getLogger(__name__)

DIED, HANGS = "has died", "does not answer"

OpenAgain = Callable[[], Awaitable[Engine[Any, Any]]]


@runtime_checkable
class RestartableEngine(Engine[Any, Any], Protocol):
    """An engine whose process may end, or stop answering, before we end it.

    `busy` is its probe: only an engine that lives can answer it. `aclose` ends one that hangs, too.
    """

    async def died(self) -> None:
        """Returns when it can serve nothing any more, and all its requests have been told so."""
        ...


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """How long a supervisor waits for what.

    Attributes:
        first_pause_s: Before the second try to start an engine; the first comes at once. Each pause is twice as long as
            the one before it, up to `longest_pause_s`.
        proven_s: An engine that has lived so long was no failed start: the next try comes at once again.
        rest_s: How long after an answer the next probe comes, if the engine yields no chunk meanwhile.
        probe_s: How long a probe may take; one that takes longer is missed.
        missed: So many probes missed in a row, and no chunk between them: the engine hangs. There is more than one, as
            this process may have been stopped itself.
        busy_s: Longest wait of whoever asks how busy the engine is.
        open_s, close_s: How long an engine may take to start, and to end.
    """

    first_pause_s: float = 1.0
    longest_pause_s: float = 60.0
    proven_s: float = 300.0
    rest_s: float = 5.0
    probe_s: float = 10.0
    missed: int = 3
    busy_s: float = 2.0
    open_s: float = 1_800.0
    close_s: float = 60.0

    def after(self, pause_s: float) -> float:
        """The pause that follows one which was in vain."""
        return min(max(2 * pause_s, self.first_pause_s), self.longest_pause_s)


class Supervisor:
    """`Engine[Any, Any]`. While there is none, requests fail at once, and the pipeline is not ready.

    Args:
        stage: Named in errors.
        engine: An open engine; the supervisor closes it.
        open_again: Opens another one like it, and returns when that is warm.

    Attributes:
        restarts: How often another engine has taken the place of one.
    """

    def __init__(
        self, stage: str, engine: RestartableEngine, open_again: OpenAgain, policy: RestartPolicy | None = None
    ) -> None:
        self.restarts = 0
        self._stage = stage
        self._open_again = open_again
        self._policy = policy or RestartPolicy()
        self._engine: RestartableEngine | None = engine
        self._failed: RestartableEngine | None = None  # until it has been closed
        self._requests = 0
        self._chunks = 0

    @property
    def is_up(self) -> bool:
        return self._engine is not None

    async def generate(self, request_id: str, prompts: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        """Passes prompts to the engine that lives now, and counts what it yields.

        Raises:
            EngineError: As the engine itself; or there is none.
        """
        if self._engine is None:
            raise EngineError(self._stage, "the engine has died and is being started again")
        self._requests += 1
        try:
            async with aclosing(self._engine.generate(request_id, prompts)) as chunks:
                async for chunk in chunks:
                    self._chunks += 1
                    yield chunk
        finally:
            self._requests -= 1

    async def busy(self) -> int:
        """What the engine says; its requests, at least 1, if it does not answer soon."""
        if (engine := self._engine) is None:
            return 0
        busy = await _answer(engine, self._policy.busy_s)
        return max(1, self._requests) if busy is None else busy

    async def aclose(self) -> None:
        """End the engine, also one that was about to be replaced when `tend` was cancelled."""
        engine = self._engine or self._failed
        self._engine = self._failed = None
        if engine:
            await engine.aclose()

    async def tend(self) -> None:
        """Wait until the engine has died or hangs, and open another one, again and again; returns when it is closed."""
        clock, pause_s = asyncio.get_running_loop().time, 0.0
        while engine := self._engine:
            began = clock()
            fault = await self._fault(engine)
            if self._engine is not engine:
                return
            if clock() - began > self._policy.proven_s:
                pause_s = 0.0
            log.error("%s %s, and is started again in %.0f s", self._stage, fault, pause_s)
            self._engine, self._failed = None, engine
            del engine
            await self._close_failed()
            pause_s = await self._replaced(pause_s)

    async def _fault(self, engine: RestartableEngine) -> str:
        """Returns what is wrong with it, as soon as something is."""
        async with asyncio.TaskGroup() as watches:
            died = watches.create_task(_death(engine, self._stage), name=f"{self._stage}: death")
            hangs = watches.create_task(self._hangs(engine), name=f"{self._stage}: probes")
            await asyncio.wait([died, hangs], return_when=asyncio.FIRST_COMPLETED)
            died.cancel()
            hangs.cancel()
        return HANGS if died.cancelled() else DIED

    async def _hangs(self, engine: RestartableEngine) -> None:
        """Returns when it has answered no probe and yielded no chunk for too long."""
        missed = 0
        while missed < self._policy.missed:
            chunks = self._chunks
            await asyncio.sleep(self._policy.rest_s)
            if chunks != self._chunks or await _answer(engine, self._policy.probe_s) is not None:
                missed = 0
                continue
            missed = missed + 1 if chunks == self._chunks else 0
            log.warning("%s does not answer (%d of %d)", self._stage, missed, self._policy.missed)

    async def _close_failed(self) -> None:
        assert self._failed
        try:
            with _cancelled_by_us(self._stage):
                async with asyncio.timeout(self._policy.close_s):
                    await self._failed.aclose()
        except Exception:
            log.exception("%s did not end in good order", self._stage)
        self._failed = None

    async def _replaced(self, pause_s: float) -> float:
        """Try until another one has started; returns the pause before the next try."""
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(pause_s)
            pause_s = self._policy.after(pause_s)
            began = clock()
            try:
                engine = await self._opened()
            except Exception as error:
                told = isinstance(error, AuraError)
                log.error("%s did not start again: %s", self._stage, error, exc_info=None if told else error)
                continue
            log.info("%s started again in %.1f s", self._stage, clock() - began)
            heap.freeze_startup_objects()  # the one before it may hold gigabytes
            self._engine = engine
            self.restarts += 1
            return pause_s

    async def _opened(self) -> RestartableEngine:
        with _cancelled_by_us(self._stage):
            async with asyncio.timeout(self._policy.open_s):
                engine = await self._open_again()
        assert isinstance(engine, RestartableEngine)
        return engine


@contextmanager
def _cancelled_by_us(stage: str) -> Iterator[None]:
    """Turns a cancellation that came from within into a failure of the stage.

    Raises:
        EngineError: In place of a cancellation that nobody asked this task for: something inside was given up.
    """
    task = asyncio.current_task()
    assert task
    try:
        yield
    except asyncio.CancelledError as error:
        if task.cancelling():
            raise
        raise EngineError(stage, "it was given up") from error


async def _death(engine: RestartableEngine, stage: str) -> None:
    try:
        await engine.died()
    except Exception:
        log.exception("it cannot be told whether %s lives", stage)


async def _answer(engine: RestartableEngine, within_s: float) -> int | None:
    """How busy it says it is; None if it does not say."""
    try:
        async with asyncio.timeout(within_s):
            return await engine.busy()
    except Exception:
        return None
