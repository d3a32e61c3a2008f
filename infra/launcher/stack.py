"""Runs the parts of a stack: started in order, watched, stopped in reverse."""

import asyncio
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

from infra.launcher.children import child
from infra.launcher.errors import PartFailed
from infra.launcher.health import until_healthy
from infra.launcher.part import Part
from infra.launcher.progress import Board


@asynccontextmanager
async def running(
    parts: Sequence[Part], *, cwd: Path, environ: Mapping[str, str], logs: Path, board: Board
) -> AsyncGenerator[dict[str, int]]:
    """A healthy stack for as long as this context lasts; at exit no process of it is left.

    Each part starts when the one before is healthy. A part that dies cancels the context's body.

    Yields:
        The pid of each part, by name.

    Raises:
        ExceptionGroup: Of one `PartFailed`, if a part died or was not healthy in time.
    """
    pids: dict[str, int] = {}
    async with AsyncExitStack() as started, asyncio.TaskGroup() as watchers:
        watching: list[asyncio.Task[None]] = []
        for part in parts:
            async with board.step(part.name):
                log = logs / f"{part.name}.log"
                log.unlink(missing_ok=True)
                running_part = child(part.argv, cwd=cwd, env={**environ, **part.env}, log=log, stop_s=part.stop_s)
                process = await started.enter_async_context(_shown(part, running_part, board))
                watching.append(watchers.create_task(_watch(part, process, log), name=f"{part.name}:watch"))
                await _healthy(part, log)
                pids[part.name] = process.pid
        yield pids
        for watch in watching:
            watch.cancel()


@asynccontextmanager
async def _shown(part: Part, process: AbstractAsyncContextManager[Process], board: Board) -> AsyncGenerator[Process]:
    """The same process; its stop is a step on the board."""
    async with AsyncExitStack() as stop:
        running = await stop.enter_async_context(process)
        try:
            yield running
        finally:
            async with board.step(part.name, "stopped"):
                await stop.aclose()


async def _watch(part: Part, process: Process, log: Path) -> None:
    code = await process.wait()
    how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
    raise PartFailed(part.name, f"ended {how}", log)


async def _healthy(part: Part, log: Path) -> None:
    try:
        async with asyncio.timeout(part.start_s):
            await until_healthy(part.health)
    except TimeoutError:
        raise PartFailed(part.name, f"was not healthy within {part.start_s:g} s", log) from None
