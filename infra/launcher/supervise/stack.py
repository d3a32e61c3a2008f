"""Runs the services of a stack: started in order, kept alive, stopped in reverse."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from infra.launcher.base.progress import Display
from infra.launcher.supervise.service import Service
from infra.launcher.supervise.supervisor import ProcessSupervisor


@asynccontextmanager
async def running(
    services: Sequence[Service],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    logs: Path,
    display: Display,
    changed: Callable[[dict[str, int]], None] | None = None,
) -> AsyncGenerator[dict[str, int]]:
    """A healthy stack for as long as this context lasts; at exit no process of it is left.

    Each service starts when the one before is healthy. One that dies for good cancels the context's body.

    Args:
        changed: Called with the pids when one of them is another, because its service was started again.

    Yields:
        The pid of each service, by name.

    Raises:
        ExceptionGroup: Of one `ServiceFailed`, if a service died or was not healthy in time.
    """
    pids: dict[str, int] = {}

    async def watch(supervisor: ProcessSupervisor) -> None:
        async for pid in supervisor.restarts():
            pids[supervisor.service.name] = pid
            if changed:
                changed(pids)

    async with AsyncExitStack() as started, asyncio.TaskGroup() as watchers:
        watching: list[asyncio.Task[None]] = []
        for service in services:
            with display.step(service.name, says_if_stopped=False):
                log = logs / f"{service.name}.log"
                log.unlink(missing_ok=True)
                supervisor = ProcessSupervisor(service, cwd=cwd, environ=environ, log=log, display=display)
                started.push_async_callback(supervisor.stop)
                await supervisor.start()
                watching.append(watchers.create_task(watch(supervisor), name=f"{service.name}:watch"))
                pids[service.name] = supervisor.pid
        yield pids
        for task in watching:
            task.cancel()
