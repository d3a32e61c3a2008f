"""Engines that fail in each state of a turn, and a line that breaks off."""

import pytest

from tests.agent.talking.begin import talking
from tests.agent.talking.engines import Engines

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("stage", ["aura", "tts"])
async def test_a_stage_that_fails_is_told_and_the_next_question_answered(stage: str) -> None:
    async with talking() as call:
        call.engines.broken.add(stage)
        await call.says("What is the capital of France?")
        await call.pauses(4)
        assert "error" in call.decisions
        call.engines.broken.clear()
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=3)


@pytest.mark.parametrize("stage", ["aura", "tts"])
async def test_a_stage_that_fails_in_the_middle_of_an_answer_leaves_what_was_heard(stage: str) -> None:
    async with talking(Engines(word_s=0.3)) as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        call.engines.broken.add(stage)
        await call.hears_out()
        call.engines.broken.clear()
        assert "error" in call.decisions
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=5)


async def test_a_recogniser_that_fails_while_somebody_speaks_loses_no_word() -> None:
    async with talking() as call:
        call.engines.broken.add("asr")
        await call.begins("What is the capital of the country that is called France?", 1.5)
        call.engines.broken.clear()
        await call.hears("The capital is Paris.", within_s=5)


async def test_a_recogniser_that_fails_for_good_is_told() -> None:
    async with talking() as call:
        call.engines.broken.add("asr")
        await call.says("What is the capital of France?")
        await call.pauses(8)
        call.engines.broken.clear()
        call.lossy = True
        assert call.decisions and call.decisions[-1] in ("silent", "error")
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=3)


async def test_a_recogniser_that_fails_over_an_answer_does_not_end_it() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        call.engines.broken.add("asr")
        await call.coughs()
        await call.hears("Part 8 of the story", within_s=30)
        call.engines.broken.clear()


async def test_a_line_that_breaks_off_in_silence_is_not_noticed() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.")
        await call.pauses(1)
        call.pipeline.break_off()
        await call.pauses(2)
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=3)
        assert [role for role, _ in call.history] == ["user", "assistant"] * 2


async def test_a_line_that_breaks_off_while_somebody_speaks_keeps_what_they_said() -> None:
    async with talking() as call:
        await call.begins("How is the weather in the north and in the south?", 1.0)
        call.pipeline.break_off()
        call.lossy = True
        await call.hears_out()
        assert call.heard or "error" in call.decisions


async def test_a_line_that_breaks_off_in_an_answer_is_told() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        call.pipeline.break_off()
        call.cut_off = True
        await call.hears_out()
        assert "error" in call.decisions
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=5)
