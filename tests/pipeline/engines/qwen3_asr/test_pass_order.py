"""Whose pass of the recogniser goes first, and how long the others are put off."""

import asyncio

import pytest

from pipeline.engines.qwen3_asr.pass_order import PUT_OFF_S, PassOrder


async def passes(order: PassOrder, began: list[tuple[float, str]], at: float, name: str, took_s: float) -> None:
    await asyncio.sleep(at)
    async with order.place(settles=name.isupper()):
        began.append((round(asyncio.get_running_loop().time(), 3), name))
        await asyncio.sleep(took_s)


async def told(*asked: tuple[float, str, float]) -> list[tuple[float, str]]:
    """When each pass began; one that settles has a capital letter."""
    order, began = PassOrder(), list[tuple[float, str]]()
    async with asyncio.TaskGroup() as tasks:
        for at, name, took_s in asked:
            tasks.create_task(passes(order, began, at, name, took_s))
    return began


async def test_a_pass_over_unfinished_speech_waits_until_none_that_settles_is_under_way() -> None:
    assert await told((0.0, "A", 0.1), (0.02, "B", 0.2), (0.05, "a", 0.1), (0.06, "b", 0.1)) == [
        (0.0, "A"),
        (0.02, "B"),
        (0.22, "a"),
        (0.22, "b"),
    ]


async def test_a_pass_that_settles_waits_for_nothing() -> None:
    assert await told((0.0, "a", 9.0), (0.1, "A", 0.1), (0.1, "B", 0.1)) == [(0.0, "a"), (0.1, "A"), (0.1, "B")]


async def test_it_is_not_put_off_for_ever() -> None:
    assert await told((0.0, "A", 9.0), (1.0, "a", 0.1)) == [(0.0, "A"), (1.0 + PUT_OFF_S, "a")]


async def test_a_pass_that_fails_or_is_cancelled_holds_nobody_up() -> None:
    order = PassOrder()
    with pytest.raises(ValueError):
        async with order.place(settles=True):
            raise ValueError
    async with asyncio.timeout(0), order.place(settles=False):
        """It begins at once."""
