"""Puts a load's callers in processes of their own, in which no caller waits until another's answer has been read.

`python -m tests.gpu.chain_processes` is such a process: it reads what it is to do, says that it is ready, is told when
to begin, and writes what came of it.
"""

import asyncio
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeVar

from infra.bench.load.run import Measured, Plan, Share, run

PROCESSES = 6
READY = b"ready\n"
FAILED = "a process of callers has failed, and has told why"

T = TypeVar("T")
# At that time of the loop's clock, the same in all processes of a host.
Begin = Callable[[float], Coroutine[Any, Any, list[T]]]


@asynccontextmanager
async def shared(processes: int, work: Callable[..., Awaitable[T]], *given: Any) -> AsyncGenerator[Begin[T]]:
    """`work(*given, share, began)` in so many processes, which are ready and wait until they are told to begin.

    Args:
        processes: 0: all of it is done here.

    Raises:
        RuntimeError: A process has failed.
    """
    if not processes:

        async def begin_here(began: float) -> list[T]:
            return [await work(*given, Share(), began)]

        yield begin_here
        return
    async with AsyncExitStack() as stack:
        started = [await stack.enter_async_context(_process()) for _ in range(processes)]
        for part, process in enumerate(started):
            await _tell(process, (work, given, Share(part, processes)))
        for process in started:
            assert process.stdout
            if await process.stdout.readline() != READY:
                raise RuntimeError(FAILED)

        async def begin(began: float) -> list[T]:
            for process in started:
                await _tell(process, began)
            return await asyncio.gather(*map(_made, started))

        yield begin


async def run_share(plan: Plan, share: Share, began: float) -> Measured:
    """Those callers of a closed load."""
    measured = Measured()
    await run(plan, measured, share, began)
    return measured


@asynccontextmanager
async def _process() -> AsyncGenerator[Process]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, stdin=PIPE, stdout=PIPE)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _tell(process: Process, what: object) -> None:
    assert process.stdin
    with suppress(ConnectionError):  # what it has made, or not, tells of that
        process.stdin.write(pickle.dumps(what))
        await process.stdin.drain()


async def _made(process: Process) -> Any:
    assert process.stdout
    if not (told := await process.stdout.read()):
        raise RuntimeError(FAILED)
    return pickle.loads(told)


def _main() -> None:
    work, given, share = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(READY)
    sys.stdout.flush()
    began = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(asyncio.run(work(*given, share, began))))


if __name__ == "__main__":
    _main()
