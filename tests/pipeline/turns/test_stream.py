"""The stream between two stages."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from pipeline.turns.stream import Stream


async def test_chunks_come_out_once_and_in_order_until_the_writer_has_left() -> None:
    link: Stream[int] = Stream(2)

    async def write() -> None:
        async with link:
            for number in range(5):
                await link.send(number)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(write())
        assert [number async for number in link] == [0, 1, 2, 3, 4]


async def test_a_writer_waits_while_as_many_chunks_as_may_be_in_flight_are_unread() -> None:
    link: Stream[int] = Stream(2)
    sent: list[tuple[float, int]] = []

    async def write() -> None:
        async with link:
            for number in range(5):
                await link.send(number)
                sent.append((now(), number))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(write())
        async for _ in slowly(link, 1.0):
            pass
    assert sent == [(0.0, 0), (0.0, 1), (1.0, 2), (2.0, 3), (3.0, 4)]


async def test_a_reader_that_leaves_frees_a_waiting_writer_and_all_later_sends() -> None:
    link: Stream[int] = Stream(1)

    async def write() -> None:
        for number in range(100):
            await link.send(number)

    async with asyncio.TaskGroup() as tasks:
        writer = tasks.create_task(write())
        assert await anext(link) == 0
        await asyncio.sleep(1)
        assert not writer.done()
        await link.aclose()
    assert now() == 1.0


async def test_a_reader_that_leaves_before_it_reads_frees_the_writer_too() -> None:
    link: Stream[int] = Stream(1)
    await link.aclose()
    for number in range(3):
        await link.send(number)
    assert [number async for number in link] == []


async def test_a_writer_that_fails_leaves_the_link_open() -> None:
    link: Stream[str] = Stream(1)
    with pytest.raises(ZeroDivisionError):
        async with link:
            await link.send("half")
            raise ZeroDivisionError
    assert await anext(link) == "half"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60):
            await anext(link)


async def test_what_was_sent_before_the_end_is_still_read() -> None:
    link: Stream[str] = Stream(3)
    async with link:
        await link.send("last")
    await asyncio.sleep(1)
    assert [word async for word in link] == ["last"]


async def slowly(link: Stream[int], seconds: float) -> AsyncIterator[int]:
    while True:
        await asyncio.sleep(seconds)
        try:
            yield await anext(link)
        except StopAsyncIteration:
            return


def now() -> float:
    return asyncio.get_running_loop().time()
