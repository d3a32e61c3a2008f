"""Prompts that are read while an engine computes: all of them, in order, and not too many."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.prompt_queue import PromptQueue
from pipeline.errors import EngineError


async def counted(read: list[int], most: int, every_s: float = 0.0) -> AsyncIterator[int]:
    for number in range(most):
        await asyncio.sleep(every_s)
        read.append(number)
        yield number


async def test_all_come_in_order_and_then_none() -> None:
    ahead = PromptQueue(counted([], 5, 1.0), 2)
    async with BackgroundTasks() as tasks:
        tasks.start("follow", ahead.follow)
        taken = [await ahead.take() for _ in range(7)]
    assert taken == [0, 1, 2, 3, 4, None, None]
    assert asyncio.get_running_loop().time() == 5


async def test_it_reads_while_nobody_takes_but_only_so_many() -> None:
    read: list[int] = []
    ahead = PromptQueue(counted(read, 9), 3)
    async with BackgroundTasks() as tasks:
        tasks.start("follow", ahead.follow)
        await asyncio.sleep(1)
        assert read == [0, 1, 2]
        assert await ahead.take() == 0
        await asyncio.sleep(1)
        assert read == [0, 1, 2, 3]
        assert ahead.waits


async def test_who_takes_is_told_of_a_failure_behind_what_came_before() -> None:
    async def breaks() -> AsyncIterator[int]:
        yield 1
        raise EngineError("tts", "its processor failed")

    ahead = PromptQueue(breaks(), 3)
    async with BackgroundTasks() as tasks:
        tasks.start("follow", ahead.follow)
        assert await ahead.take() == 1
        with pytest.raises(EngineError, match="its processor failed"):
            await ahead.take()


async def test_who_waits_is_told_of_the_end() -> None:
    ahead = PromptQueue(counted([], 0), 3)
    async with BackgroundTasks() as tasks:
        tasks.start("follow", ahead.follow)
        assert await ahead.take() is None
