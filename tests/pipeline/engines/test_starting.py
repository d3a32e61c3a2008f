"""A start that waits for a process can be given up: the process ends, and nothing is left. Times are real."""

import asyncio
import multiprocessing
import time
from typing import Any

import pytest

from pipeline.engines.starting import started


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {}


def wait_for_a_process(seconds: float) -> bool:
    child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(seconds,), daemon=True)
    child.start()
    child.join()
    if child.exitcode:
        raise RuntimeError("it has ended")
    return True


async def test_what_has_started_is_given() -> None:
    assert await started(lambda: wait_for_a_process(0.1))


async def test_a_start_that_is_given_up_leaves_no_process() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.5):
            await started(lambda: wait_for_a_process(60))
    assert multiprocessing.active_children() == []


async def test_a_start_that_fails_is_told() -> None:
    def fails() -> None:
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        await started(fails)
