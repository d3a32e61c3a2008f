"""A cough takes nobody's answer: what was said before it is answered, though it has no words."""

import asyncio

import pytest

from pipeline.engines.fake import FakeEngine, hears, writes
from pipeline.types.chunks import ChatPrompt, TextChunk
from pipeline.types.events import response_events as events
from pipeline.types.history import Item
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from tests.scenario import Caller, Line

pytestmark = pytest.mark.anyio

DETECTS = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512)))
GOES_ON = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512), interrupts=False))
ANSWER = "One two three four. Five six seven eight. Nine ten."  # 3 s of sound, told in half of it


def line(*heard: str, aura: FakeEngine[ChatPrompt, TextChunk] | None = None) -> Line:
    return Line(asr=hears(*heard), aura=aura or writes(ANSWER, word_s=0.3))


async def makes_a_sound(caller: Caller) -> None:
    await caller.says(0.5)
    await caller.is_silent(0.6)


def asked(line: Line) -> list[str]:
    """What the person had said, of the newest question that was to be answered."""
    return [message.text for message in line.questions[-1].messages if message.role == "user"]


async def test_a_question_over_an_answer_is_answered_though_a_cough_follows_it() -> None:
    spoken = line("What?", "And then?", "")
    async with spoken.call(GOES_ON) as caller:
        for _ in range(3):
            await makes_a_sound(caller)
        await asyncio.sleep(30)
        assert asked(spoken) == ["What?", "And then?"]
        assert [done.silence for done in caller.all(events.ResponseDone)] == [None, None]


async def test_a_question_is_answered_though_a_cough_stops_its_answer_before_the_first_word() -> None:
    spoken = line("What?", "", aura=writes(ANSWER, first_s=1.0, word_s=0.3))
    async with spoken.call(DETECTS) as caller:
        await makes_a_sound(caller)
        await makes_a_sound(caller)
        await asyncio.sleep(30)
        assert [done.status for done in caller.all(events.ResponseDone)] == ["cancelled", "completed"]
        assert caller.answer().text == ANSWER


async def test_an_answer_of_which_words_were_heard_is_not_given_again_after_a_cough() -> None:
    async with line("What?", "").call(DETECTS) as caller:
        await makes_a_sound(caller)
        await asyncio.sleep(1.5)
        await makes_a_sound(caller)
        await asyncio.sleep(30)
        assert [done.status for done in caller.all(events.ResponseDone)] == ["cancelled", "completed"]
        assert caller.answer().silence == "no_words"


async def test_what_was_answered_by_silence_is_not_asked_again_by_a_cough() -> None:
    spoken = line("What?", "", aura=writes(""))
    async with spoken.call(DETECTS) as caller:
        for _ in range(2):
            await makes_a_sound(caller)
            await asyncio.sleep(3)
        assert [done.silence for done in caller.all(events.ResponseDone)] == ["model", "no_words"]
        assert len(spoken.questions) == 1


@pytest.mark.parametrize("what", ["said", "written", "put out"])
async def test_a_client_that_takes_turns_may_commit_a_cough_behind(what: str) -> None:
    spoken = line("What?", "") if what == "said" else line("")
    async with spoken.call() as caller:
        session = caller.session
        if what == "said":
            await makes_a_sound(caller)
            session.commit()
        elif what == "written":
            session.write(Item("mine", "user", "What?"))
        else:
            session.write(Item("call", "assistant", "{}", kind="function_call", call_id="1", name="look"))
            session.write(Item("output", "user", "What?", kind="function_call_output", call_id="1"))
        await makes_a_sound(caller)
        session.commit()
        session.respond()
        await asyncio.sleep(30)
        assert (caller.answer().text, caller.answer().silence) == (ANSWER, None)
