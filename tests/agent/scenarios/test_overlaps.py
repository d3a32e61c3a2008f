"""What happens at the edges of an answer: typing over it, questions in its last words, remarks, a broken line."""

import pytest

from tests.agent.talking.begin import talking
from tests.agent.talking.engines import COUNT, STORY, Engines

pytestmark = pytest.mark.anyio


async def test_what_is_written_over_an_answer_stops_it() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 2")
        await call.writes("How is the weather?")
        await call.hears("It is sunny today.", within_s=2)
        assert "Part 8" not in call.heard


async def test_what_is_written_while_the_person_speaks_is_answered_with_it() -> None:
    async with talking() as call:
        await call.begins("What is the capital of France?", 0.6)
        await call.writes("How is the weather?")
        await call.hears("The capital is Paris.")
        assert {text for role, text in call.history if role == "user"} == {each.text for each in call.said}


async def test_two_messages_in_one_second_are_both_answered() -> None:
    async with talking() as call:
        await call.writes("What is the capital of France?")
        await call.pauses(0.3)
        await call.writes("How is the weather?")
        await call.hears("It is sunny today.", within_s=3)


async def test_of_two_messages_in_one_moment_neither_is_lost() -> None:
    async with talking() as call:
        await call.writes("What is the capital of France?")
        await call.writes("How is the weather?")
        await call.hears("It is sunny today.", within_s=3)
        assert {text for role, text in call.history if role == "user"} == {each.text for each in call.said}


async def test_a_question_while_the_last_answer_still_drains_is_answered() -> None:
    async with talking() as call:
        await call.says("How is the weather?")
        await call.hears("sunny")
        await call.says("And what is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)


async def test_a_question_at_the_very_end_of_an_answer_is_answered() -> None:
    async with talking() as call:
        await call.says("How is the weather?")
        await call.hears("today.")
        await call.says("And what is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert "It is sunny today." in call.heard


async def test_a_sign_of_listening_as_an_answer_ends_needs_no_answer() -> None:
    async with talking() as call:
        await call.says("How is the weather?")
        await call.hears("sunny")
        await call.hums("Mhm.", 0.3)
        await call.hears_out()
        assert call.heard == "It is sunny today."


async def test_somebody_who_speaks_over_two_answers_hears_the_third_whole() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part 1")
        await call.says("Please count.")
        await call.hears("Number 1.")
        await call.says("Tell me a story again, please.")
        await call.hears(STORY)


async def test_a_remark_is_made_when_nobody_speaks() -> None:
    async with talking(Engines(sees=True)) as call:
        await call.pauses(2)
        await call.is_offered("There is a cat.")
        await call.hears("There is a cat.", within_s=2)


async def test_a_remark_is_dropped_as_somebody_starts() -> None:
    async with talking(Engines(sees=True)) as call:
        await call.begins("What is the capital of France?", 0.2)
        await call.is_offered("There is a cat.")
        await call.hears("The capital is Paris.", within_s=4)
        assert call.heard == "The capital is Paris." and "offer_dropped" in call.decisions


async def test_a_remark_is_stopped_before_its_first_sound_by_who_starts_then() -> None:
    async with talking(Engines(sees=True, clause_s=0.6)) as call:
        await call.pauses(2)
        await call.is_offered("There is a cat.")
        await call.pauses(0.3)
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=4)
        assert call.heard == "The capital is Paris."


async def test_a_remark_is_interrupted_as_any_answer_is() -> None:
    async with talking(Engines(sees=True)) as call:
        await call.pauses(2)
        await call.is_offered("There is a cat that sits on the chair in the sun and looks at you.")
        await call.hears("that sits")
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert "sun" not in call.heard


async def test_repeat_says_the_last_answer_again() -> None:
    async with talking() as call:
        await call.says("How is the weather?")
        await call.hears("It is sunny today.")
        call.call.repeat()
        await call.hears("It is sunny today.", within_s=3)


async def test_counting_is_remembered_as_far_as_it_was_heard() -> None:
    async with talking() as call:
        await call.says("Please count.")
        await call.hears("Number 7.")
        await call.says("How is the weather?")
        await call.hears("It is sunny today.")
        counted = call.history[1][1]
        assert COUNT.startswith(counted) and counted.startswith("Number 1. Number 2. Number 3. Number 4. Number 5.")
        assert "Number 10." not in counted


async def test_a_question_over_an_answer_that_was_begun_over_a_sound_is_answered() -> None:
    async with talking(Engines(pass_s=0.6, first_s=1.0)) as call:
        await call.says("Well, what is the capital?")
        await call.pauses(0.5)
        await call.coughs(1.0)  # the question is whole meanwhile, and answered though something is heard
        await call.says("And how is the weather?")
        await call.hears("It is sunny today.")
        call.lossy = True  # the first turn is taken in the middle of a word, which both halves have


async def test_what_was_hummed_before_something_is_written_does_not_cut_the_answer() -> None:
    async with talking(Engines(pass_s=1.5)) as call:
        await call.hums("I see.", 0.5)
        await call.pauses(0.2)
        await call.writes("Tell me a story.")
        await call.hears("Part 8")
        await call.hears_out()
        assert [role for role, _ in call.history] == ["user", "assistant"]


async def test_what_is_written_as_a_hum_ends_is_answered_whole() -> None:
    async with talking(Engines(pass_s=1.5)) as call:
        await call.hums("Mhm.", 0.4)
        await call.pauses(0.04)  # nobody knows yet that it is over
        await call.writes("Tell me a story.")
        await call.hears("Part 8")
        await call.hears_out()
        assert [role for role, _ in call.history] == ["user", "assistant"]


async def test_an_answer_that_was_begun_over_a_sound_is_not_cut_by_words_that_it_answers() -> None:
    async with talking() as call:
        await call.says("I wonder what…")
        await call.pauses(1.2)  # LiveKit has been given these words, and has not taken the turn yet
        await call.says("Tell me a story.")
        await call.coughs(4.0)  # the question is whole meanwhile, and answered
        await call.hears("Part 8")
        await call.hears_out()
        assert call.heard == STORY
        assert [role for role, _ in call.history] == ["user", "assistant"]
