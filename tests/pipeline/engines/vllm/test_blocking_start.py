"""A start that waits for a process can be given up: the process ends, and nothing is left. Times are real."""

import asyncio
import multiprocessing
import os
import signal
import time
from multiprocessing.synchronize import Event
from typing import Any

import pytest

from pipeline.engines.vllm.blocking_start import started


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def wait_for_a_process(seconds: float) -> bool:
    child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(seconds,), daemon=True)
    child.start()
    child.join()
    if child.exitcode:
        raise RuntimeError("it has ended")
    return True


async def test_what_has_started_is_given() -> None:
    assert await started(lambda: wait_for_a_process(0.1), kill)


async def test_a_start_that_is_given_up_leaves_no_process() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.5):
            await started(lambda: wait_for_a_process(60), kill)
    assert multiprocessing.active_children() == []


def deaf(ready: Event) -> None:
    """A process that does what it has begun before it heeds a SIGTERM, as vLLM's engines do."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ready.set()
    time.sleep(20)


async def test_a_process_that_heeds_no_request_to_end_is_killed() -> None:
    spawning = multiprocessing.get_context("spawn")
    ready = spawning.Event()
    child = spawning.Process(target=deaf, args=(ready,), daemon=True)

    def waits() -> None:
        child.start()
        child.join()

    async with asyncio.TaskGroup() as tasks:
        starting = tasks.create_task(started(waits, kill))
        await asyncio.to_thread(ready.wait)
        starting.cancel()
    assert starting.cancelled()
    assert child.exitcode == -signal.SIGKILL


async def test_a_start_that_fails_is_told() -> None:
    def fails() -> None:
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        await started(fails, kill)
