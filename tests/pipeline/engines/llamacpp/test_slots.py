"""Who gets which slot of an engine."""

import asyncio

from pipeline.engines.llamacpp.slots import SlotPool


async def taken(slots: SlotPool, owner: str) -> int:
    async with slots.of(owner) as slot:
        return slot.number


async def test_callers_keep_their_slots() -> None:
    slots = SlotPool(2)
    turns = [await taken(slots, owner) for owner in "abab"]
    assert turns == [0, 1, 0, 1]


async def test_a_new_caller_takes_over_the_slot_that_was_used_longest_ago() -> None:
    slots = SlotPool(2)
    for owner in "aba":
        await taken(slots, owner)
    assert await taken(slots, "c") == 1
    assert await taken(slots, "a") == 0
    assert await taken(slots, "b") == 1, "somebody else was in it meanwhile"


async def test_a_slot_keeps_saying_whose_cache_it_has_until_that_is_changed() -> None:
    slots = SlotPool(1)
    async with slots.of("a") as slot:
        assert slot.owner is None
        slot.owner = "a"
    for _ in range(2):
        async with slots.of("b") as slot:
            assert slot.owner == "a"


async def test_a_slot_at_work_is_not_taken_over_while_another_one_is_idle() -> None:
    slots = SlotPool(2)
    async with slots.of("a"):
        await taken(slots, "b")
        assert await taken(slots, "c") == 1


async def test_slots_in_use_are_at_work() -> None:
    slots = SlotPool(2)
    async with slots.of("a"):
        assert slots.at_work == 1
    assert slots.at_work == 0


async def test_one_prompt_at_a_time_in_a_slot() -> None:
    slots, clock = SlotPool(1), asyncio.get_running_loop().time
    began: list[float] = []

    async def compute(owner: str) -> None:
        async with slots.of(owner):
            began.append(clock())
            await asyncio.sleep(1)

    async with asyncio.TaskGroup() as tasks:
        for owner in "abc":
            tasks.create_task(compute(owner), name=owner)
    assert began == [0, 1, 2]
