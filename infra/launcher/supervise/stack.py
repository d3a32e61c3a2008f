"""Runs the parts of a stack: started in order, kept alive, stopped in reverse."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from infra.launcher.base.progress import Board
from infra.launcher.supervise.service import Part
from infra.launcher.supervise.supervisor import Keeper


@asynccontextmanager
async def running(
    parts: Sequence[Part],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    logs: Path,
    board: Board,
    changed: Callable[[dict[str, int]], None] = lambda _: None,
) -> AsyncGenerator[dict[str, int]]:
    """A healthy stack for as long as this context lasts; at exit no process of it is left.

    Each part starts when the one before is healthy. A part that dies for good cancels the context's body.

    Args:
        changed: Told the pids when one of them is another, because its part was started again.

    Yields:
        The pid of each part, by name.

    Raises:
        ExceptionGroup: Of one `PartFailed`, if a part died or was not healthy in time.
    """
    pids: dict[str, int] = {}

    def came_back(keeper: Keeper) -> None:
        pids[keeper.part.name] = keeper.pid
        changed(pids)

    async with AsyncExitStack() as started, asyncio.TaskGroup() as watchers:
        watching: list[asyncio.Task[None]] = []
        for part in parts:
            async with board.step(part.name, told_if_stopped=False):
                log = logs / f"{part.name}.log"
                log.unlink(missing_ok=True)
                keeper = Keeper(part, cwd=cwd, environ=environ, log=log, board=board, came_back=came_back)
                started.push_async_callback(keeper.stop)
                await keeper.start()
                watching.append(watchers.create_task(keeper.watch(), name=f"{part.name}:watch"))
                pids[part.name] = keeper.pid
        yield pids
        for watch in watching:
            watch.cancel()
