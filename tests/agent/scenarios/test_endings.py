"""The end of a call in each state of a turn: nothing is left running, and what was heard is remembered."""

import pytest

from tests.agent.talking.begin import talking
from tests.agent.talking.engines import Engines

pytestmark = pytest.mark.anyio


async def test_before_anything_was_said() -> None:
    async with talking() as call:
        await call.hangs_up()
        assert call.history == []


async def test_while_somebody_speaks() -> None:
    async with talking() as call:
        await call.begins("What is the capital of France?", 0.8)
        await call.hangs_up()


async def test_in_the_pause_after_a_question() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.pauses(0.3)
        await call.hangs_up()


async def test_while_the_recogniser_is_at_work() -> None:
    async with talking(Engines(pass_s=3.0)) as call:
        await call.says("What is the capital of France?")
        await call.pauses(1.0)
        await call.hangs_up()


async def test_before_the_first_word() -> None:
    async with talking(Engines(first_s=5.0)) as call:
        await call.says("What is the capital of France?")
        await call.pauses(2.0)
        await call.hangs_up()


async def test_before_the_first_sound() -> None:
    async with talking(Engines(clause_s=5.0)) as call:
        await call.says("What is the capital of France?")
        await call.pauses(2.0)
        await call.hangs_up()


async def test_in_the_middle_of_an_answer() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        await call.hangs_up()
        assert call.history[0] == ("user", "Tell me a story.") and "Part 8" not in str(call.history)


async def test_while_an_answer_is_held_up() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        call.mouth.say("", word_s=3.0)
        await call.pauses(1.0)
        assert call.is_silent
        await call.hangs_up()


async def test_as_an_interruption_begins() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        await call.begins("What is the capital of France?", 0.6)
        await call.hangs_up()


async def test_after_the_last_answer() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.")
        await call.pauses(2)
        await call.hangs_up()
        assert call.history[-1] == ("assistant", "The capital is Paris.")


async def test_while_the_line_is_down() -> None:
    async with talking() as call:
        call.pipeline.break_off()
        await call.pauses(0.1)
        await call.hangs_up()
