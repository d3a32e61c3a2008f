"""Who gets which slot of an engine."""

import asyncio

from pipeline.engines.slots import Slot, Slots


async def taken(slots: Slots, owner: str) -> Slot:
    async with slots.of(owner) as slot:
        return slot


async def test_callers_keep_their_slots() -> None:
    slots = Slots(2)
    turns = [await taken(slots, owner) for owner in "abab"]
    assert turns == [Slot(0, True), Slot(1, True), Slot(0, False), Slot(1, False)]


async def test_a_new_caller_takes_over_the_slot_that_was_used_longest_ago() -> None:
    slots = Slots(2)
    for owner in "aba":
        await taken(slots, owner)
    assert await taken(slots, "c") == Slot(1, inherited=True)
    assert await taken(slots, "a") == Slot(0, inherited=False)
    assert await taken(slots, "b") == Slot(1, inherited=True), "somebody else was in it meanwhile"


async def test_a_slot_at_work_is_not_taken_over_while_another_one_is_idle() -> None:
    slots = Slots(2)
    async with slots.of("a"):
        await taken(slots, "b")
        assert await taken(slots, "c") == Slot(1, inherited=True)


async def test_one_prompt_at_a_time_in_a_slot() -> None:
    slots, clock = Slots(1), asyncio.get_running_loop().time
    began: list[float] = []

    async def compute(owner: str) -> None:
        async with slots.of(owner):
            began.append(clock())
            await asyncio.sleep(1)

    async with asyncio.TaskGroup() as tasks:
        for owner in "abc":
            tasks.create_task(compute(owner), name=owner)
    assert began == [0, 1, 2]
