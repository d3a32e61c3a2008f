"""Somebody speaks over an answer: at once, twice, in each stage of it, and with what is no interruption."""

import pytest

from tests.agent.talking.begin import talking
from tests.agent.talking.conversation import Conversation
from tests.agent.talking.engines import STORY, Engines

pytestmark = pytest.mark.anyio


async def listens_to_a_story(call: Conversation, seconds: float = 4.0) -> None:
    await call.says("Tell me a story.")
    await call.hears("Part 1")
    await call.pauses(seconds)


async def test_a_question_over_an_answer_stops_it_and_is_answered() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert "interrupted" in call.decisions
        assert [role for role, _ in call.history] == ["user", "assistant"] * 2


async def test_the_engines_stop_while_the_person_still_interrupts() -> None:
    async with talking(Engines(word_s=0.5)) as call:
        await listens_to_a_story(call)
        assert call.engines.aura.running
        await call.begins("No, no, what I wanted to know is how the weather is, nothing else.", 2.0)
        assert not (call.engines.aura.running or call.engines.tts.running)
        await call.hears("It is sunny today.", within_s=8)


async def test_two_interruptions_in_a_row_stop_two_answers() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.says("Please count to thirty.")
        await call.hears("Number 3.")
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=2)
        assert call.decisions.count("interrupted") == 2


async def test_an_interruption_before_the_first_sound_makes_one_question_of_two() -> None:
    async with talking(Engines(first_s=3.0)) as call:
        await call.says("What is the capital of France?")
        await call.pauses(1.2)
        await call.says("I mean, how is the weather?")
        await call.hears("It is sunny today.", within_s=6)
        assert call.heard == "It is sunny today." and "continued" in call.decisions


async def test_who_goes_on_while_the_recogniser_is_still_at_work_is_heard_whole() -> None:
    async with talking(Engines(pass_s=1.5)) as call:
        await call.says("What is the capital of France?")
        await call.pauses(0.5)
        await call.says("And how is the weather?")
        await call.hears("It is sunny today.", within_s=8)


async def test_an_interruption_as_the_first_word_is_written_stops_the_answer() -> None:
    async with talking(Engines(first_s=0.9, clause_s=2.0)) as call:
        await call.says("What is the capital of France?")
        await call.pauses(1.0)
        await call.says("No, how is the weather?")
        await call.hears("It is sunny today.", within_s=6)
        assert "Paris." not in call.heard


async def test_an_interruption_as_the_first_sound_is_made_stops_the_answer() -> None:
    async with talking(Engines(clause_s=1.5)) as call:
        await call.says("Tell me a story.")
        await call.pauses(1.6)
        await call.says("No, how is the weather?")
        await call.hears("It is sunny today.", within_s=6)


async def test_an_interruption_with_the_first_sound_stops_the_answer() -> None:
    async with talking() as call:
        await call.says("Tell me a story.")
        await call.hears("Part")
        await call.says("No, how is the weather?")
        await call.hears("It is sunny today.", within_s=3)


async def test_stop_is_obeyed_and_followed_by_silence() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.says("Stop.")
        await call.pauses(6)
        assert call.is_silent and "Part 8" not in call.heard
        assert call.decisions[-2:] == ["turn", "silent"] and "interrupted" in call.decisions


async def test_who_wants_an_answer_to_wait_stops_it_and_is_given_the_time_to_go_on() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.says("No, wait.")
        await call.pauses(0.5)
        assert "interrupted" in call.decisions
        await call.pauses(2.0)
        assert call.is_silent and "Part 8" not in call.heard
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=2)


async def test_a_sign_of_listening_does_not_end_an_answer() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.hums()
        await call.hears("Part 8 of the story")
        await call.hears_out()
        assert call.heard == STORY and call.decisions == ["turn", "backchannel", "resumed"]


async def test_signs_of_listening_throughout_do_not_end_an_answer() -> None:
    async with talking() as call:
        await listens_to_a_story(call, 1.0)
        for text in ("Mhm.", "Okay.", "Yeah.", "Right."):
            await call.hums(text)
            await call.pauses(3)
        await call.hears_out()
        assert call.heard == STORY


async def test_a_sign_of_listening_holds_the_answer_up_for_a_second_at_most() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.hums()
        await call.hears_something(within_s=0.6)


async def test_a_sign_of_listening_and_then_a_question_ends_it() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.hums()
        await call.pauses(1.5)
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert "backchannel" in call.decisions and "interrupted" in call.decisions


async def test_a_sign_of_listening_that_becomes_a_question_ends_it() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.says("Okay, but what is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)


async def test_a_cough_over_an_answer_holds_it_up_and_no_more() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.coughs()
        await call.hears_out()
        assert call.heard == STORY and call.decisions == ["turn", "noise", "resumed"]


async def test_a_long_noise_over_an_answer_does_not_end_it() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.coughs(4.0)
        await call.hears_out()
        assert call.heard == STORY


async def test_a_cough_and_then_a_question_ends_it() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        await call.coughs()
        await call.pauses(0.2)
        await call.says("How is the weather?")
        await call.hears("It is sunny today.", within_s=3)


async def test_a_question_that_begins_with_a_sign_of_listening_ends_it_however_slow_the_recogniser_is() -> None:
    async with talking() as call:
        await listens_to_a_story(call, 1.0)
        await call.begins("Okay, but what is the capital of France?", 0.7)
        call.engines.pass_s = 6.0
        await call.hears("The capital is Paris.", within_s=20)
        assert "backchannel" not in call.decisions


async def test_a_question_whose_first_word_is_not_made_out_is_not_spoken_over() -> None:
    async with talking(Engines(pass_s=0.3)) as call:
        await listens_to_a_story(call)
        call.mouth.say("", word_s=0.4)
        await call.says("What is the capital of France?")
        await call.hears("The capital is Paris.", within_s=2)
        assert call.ears.overlap.longest_s < 0.5


async def test_who_hesitates_after_a_noise_over_an_answer_is_waited_for() -> None:
    async with talking() as call:
        await listens_to_a_story(call)
        call.mouth.say("", word_s=2.5)  # the answer goes on meanwhile
        await call.says("And the…")
        await call.pauses(1.0)
        await call.says("capital of France?")
        await call.hears("The capital is Paris.", within_s=3)
        assert [text for role, text in call.history if role == "user"][1:] == ["And the… capital of France?"]
