"""Serves one stack in its run folder until it is cancelled, and cleans up after it."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager

from infra.launcher.base.layout import Layout
from infra.launcher.base.progress import Display
from infra.launcher.supervise.leftovers import MARK, kill_leftovers
from infra.launcher.supervise.lockfile import lock_run_folder
from infra.launcher.supervise.mps import multi_process_service
from infra.launcher.supervise.run_file import Running, RunningService, write_run_file
from infra.launcher.supervise.service import Service
from infra.launcher.supervise.services import Addresses
from infra.launcher.supervise.stack import running


@contextmanager
def own_run_folder(layout: Layout, display: Display) -> Generator[str]:
    """Lock the run folder, and clean up what a launcher that was killed has left there.

    Yields:
        The random name of the stack that will run here.

    Raises:
        RunFolderLocked: Another launcher has it.
    """
    stack = secrets.token_hex(16)
    with lock_run_folder(layout.run, stack) as before:
        layout.run_file.unlink(missing_ok=True)
        if before and (killed := kill_leftovers(before.stack)):
            display.say(f"  stopped {len(killed)} processes that an earlier infra/up had to leave behind")
        yield stack


async def serve(
    layout: Layout,
    services: Sequence[Service],
    where: Addresses,
    options: Mapping[str, str],
    *,
    stack: str,
    environ: Mapping[str, str],
    display: Display,
    finish: Callable[[], Awaitable[None]] | None = None,
    beside: Callable[[Mapping[str, int]], Coroutine[None, None, None]] | None = None,
    shares_gpu: bool = False,
) -> None:
    """Run the services until the caller is cancelled; nothing of them is left afterwards.

    Args:
        finish: What is to be done when all are healthy, before the stack is ready.
        beside: What goes on while the stack is ready, given the pids of the services as they are now; it ends by being
            cancelled.
        shares_gpu: Several processes of it use one GPU.

    Raises:
        ExceptionGroup: Of one `ServiceFailed`.
    """

    def write(pids: Mapping[str, int]) -> None:
        parts = {service.name: RunningService(pids[service.name], service.health) for service in services}
        write_run_file(layout.run_file, Running(where.url, where.pipeline_url, where.livekit_url, parts, dict(options)))

    def changed(pids: Mapping[str, int]) -> None:
        if layout.run_file.exists():
            write(pids)

    ours = {**environ, MARK: stack}
    try:
        async with AsyncExitStack() as life:
            if shares_gpu:
                ours |= await life.enter_async_context(multi_process_service(layout, ours, display))
            pids = await life.enter_async_context(
                running(services, cwd=layout.run, environ=ours, logs=layout.logs, display=display, changed=changed)
            )
            if finish:
                await finish()
            write(pids)
            display.say(f"\nAURA is ready: {where.url}\n")
            display.say(f"  logs in {layout.logs}; Ctrl-C or {layout.down} stops it")
            if beside:
                await beside(pids)
            await asyncio.Event().wait()
    finally:
        layout.run_file.unlink(missing_ok=True)
        kill_leftovers(stack)
        display.say("AURA is stopped")
