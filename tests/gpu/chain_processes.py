"""Puts a load's callers in processes of their own, in which no caller waits until another's answer has been read.

`python -m tests.gpu.chain_processes` is such a process: it reads what it is to do, and writes what came of it.
"""

import asyncio
import pickle
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from infra.bench.load.run import Measured, Plan, Share, run

START_S = 4.0  # from asking for processes until the load begins: they import much
PROCESSES = 6

P = ParamSpec("P")
T = TypeVar("T")


def shares(processes: int) -> list[Share]:
    return [Share(part, processes) for part in range(processes)]


async def run_apart(plan: Plan, processes: int, began: float) -> Measured:
    """A whole closed load, which begins at that time of the loop's clock.

    Args:
        processes: Of the callers; 0: they are here.
    """
    measured = Measured()
    if not processes:
        await run(plan, measured, began=began)
    async with asyncio.TaskGroup() as tasks:
        parts = [tasks.create_task(in_process(run_share, plan, share, began)) for share in shares(processes)]
    for part in parts:
        measured.add(part.result())
    return measured


async def run_share(plan: Plan, share: Share, began: float) -> Measured:
    measured = Measured()
    await run(plan, measured, share, began)
    return measured


async def in_process(work: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` returns there. Monotonic time is the same in all processes of a host.

    Raises:
        RuntimeError: It has failed, and its process has told why.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.gpu.chain_processes", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        told, _ = await process.communicate(pickle.dumps((work, args, kwargs)))
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if not told:
        raise RuntimeError("a process of callers has failed")
    made: T = pickle.loads(told)
    return made


if __name__ == "__main__":
    do, args, kwargs = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(asyncio.run(do(*args, **kwargs))))
