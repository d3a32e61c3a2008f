"""Turns in which nobody speaks over anybody: questions, pauses, silence, typing."""

import pytest

from tests.agent.talking.begin import talking
from tests.agent.talking.engines import Engines

pytestmark = pytest.mark.anyio


async def test_a_question_is_answered() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert call.decisions == ["turn"]


async def test_two_questions_one_after_the_other_have_an_answer_each() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.")
        await call.pauses(1)
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=2)
        assert [role for role, _ in call.history] == ["user", "assistant"] * 2


async def test_who_pauses_inside_a_sentence_is_not_cut_in_on() -> None:
    async with talking() as call:
        await call.says("I would like to know…")
        await call.pauses(1.2)
        assert call.is_silent
        await call.says("what the capital of France is.")
        await call.hears("The capital is Paris.", within_s=2)
        assert call.heard == "The capital is Paris."


async def test_several_pauses_inside_a_sentence_make_one_question() -> None:
    async with talking() as call:
        for part in ("Well…", "tell me…", "I wonder…"):
            await call.says(part)
            await call.pauses(1.0)
        await call.says("how is the weather?")
        await call.hears("It is sunny today.", within_s=2)
        assert call.heard == "It is sunny today."


@pytest.mark.parametrize("held", ["Wait, let me think.", "Attends. Attends.", "Moment mal, bitte."])
async def test_who_asks_to_wait_is_given_the_time_and_heard_whole(held: str) -> None:
    async with talking() as call:
        await call.says(held)
        await call.pauses(2.6)
        assert call.is_silent and call.decisions == []
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert [text for role, text in call.history if role == "user"] == [f"{held} What is the capital of France?"]


async def test_who_asks_to_wait_and_says_no_more_is_answered_in_the_end() -> None:
    async with talking() as call:
        await call.says("Wait, let me think.")
        await call.hears("I see what you mean.", within_s=4)


async def test_a_number_is_heard_out_that_is_told_in_groups() -> None:
    async with talking() as call:
        for group in ("My number is 471.", "82.", "30."):
            await call.says(group)
            assert call.is_silent
            await call.pauses(0.8)
        await call.hears("I see what you mean.", within_s=2)
        assert [text for role, text in call.history if role == "user"] == ["My number is 471. 82. 30."]


async def test_a_sentence_that_is_never_finished_is_answered_in_the_end() -> None:
    async with talking() as call:
        await call.says("What I mean is…")
        await call.hears("I see what you mean.", within_s=4)


async def test_who_only_coughs_is_not_answered() -> None:
    async with talking() as call:
        await call.coughs()
        await call.pauses(5)
        assert call.heard == "" and call.history == []
        assert call.decisions == ["noise"]


async def test_a_cough_does_not_spoil_the_question_behind_it() -> None:
    async with talking() as call:
        await call.coughs()
        await call.pauses(0.4)
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)


async def test_a_yes_is_an_answer_where_nobody_else_speaks() -> None:
    async with talking() as call:
        await call.says("How is the weather?")
        await call.hears("today.")
        await call.pauses(1)
        await call.says("Yes.")
        await call.hears("I see what you mean.", within_s=2)


async def test_who_thanks_is_told_nothing_and_shown_why() -> None:
    async with talking() as call:
        await call.says("Thank you, that is all.")
        await call.pauses(4)
        assert call.heard == "" and call.decisions[-1] == "silent"


async def test_silence_after_speech_is_left_alone() -> None:
    async with talking() as call:
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.")
        await call.pauses(60)
        assert call.heard == "The capital is Paris." and call.decisions == ["turn"]


async def test_who_is_muted_in_mid_word_is_answered_as_far_as_they_got() -> None:
    async with talking() as call:
        await call.begins("How is the weather now in the north of the country?", 1.1)
        call.mouth.fall_silent()
        call.lossy = True
        await call.hears("It is sunny today.", within_s=4)
        assert call.history[0] == ("user", "How is the weather now")


async def test_who_speaks_for_very_long_is_answered_once() -> None:
    async with talking() as call:
        await call.says(" ".join(["and", "so", "on"] * 25) + " what is the capital?")
        await call.hears("The capital is Paris.", within_s=3)
        assert call.heard == "The capital is Paris."


async def test_what_is_written_is_answered_aloud() -> None:
    async with talking() as call:
        await call.writes("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert call.decisions == []


async def test_a_slow_recogniser_loses_no_question() -> None:
    async with talking(Engines(pass_s=2.5)) as call:
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=8)


async def test_a_recogniser_that_is_slower_than_anybody_waits_loses_no_question() -> None:
    async with talking(Engines(pass_s=6.0)) as call:
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=20)


async def test_a_greeting_is_heard_and_remembered() -> None:
    async with talking(greet=True) as call:
        await call.hears_out()
        assert call.heard and call.history == [("assistant", call.heard)]
