"""What is said over an answer that is not to be interrupted is answered behind it."""

import asyncio

import pytest

from pipeline.engines.fake import hears, writes
from pipeline.types.events.input_events import InputCommitted
from pipeline.types.events.response_events import ResponseCreated, ResponseDone
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from tests.scenario import Caller, Line
from tests.tidy import nothing_left

GOES_ON = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512), interrupts=False))
SILENT = SessionOptions(
    detection=TurnDetectionOptions(Endpointing(end_ms=512), interrupts=False, creates_response=False)
)
ANSWER = "One two three four. Five six seven eight. Nine ten."  # 3 s of sound, told in half of it


def line() -> Line:
    return Line(asr=hears("What?", "And then?", "And last?"), aura=writes(ANSWER, word_s=0.3))


async def asks(caller: Caller) -> None:
    await caller.says(0.5)
    await caller.is_silent(0.6)


def questions(line: Line) -> list[list[str]]:
    """What the person had said, of each question that was answered."""
    return [[message.text for message in chat.messages if message.role == "user"] for chat in line.questions]


async def test_a_question_over_an_answer_is_answered_when_that_has_ended() -> None:
    spoken = line()
    async with spoken.call(GOES_ON) as caller:
        await asks(caller)
        await asks(caller)
        assert len(caller.all(ResponseCreated)) == 1
        await asyncio.sleep(30)
        ended, began = caller.when(ResponseDone), caller.when(ResponseCreated)
    assert [done.status for done in caller.all(ResponseDone)] == ["completed"] * 2
    assert began[1] == ended[0]
    assert questions(spoken) == [["What?"], ["What?", "And then?"]]


async def test_all_that_was_said_over_an_answer_is_answered_at_once() -> None:
    spoken = line()
    async with spoken.call(GOES_ON) as caller:
        for _ in range(3):
            await asks(caller)
        await asyncio.sleep(30)
    assert questions(spoken) == [["What?"], ["What?", "And then?", "And last?"]]


async def test_who_still_speaks_when_the_answer_ends_is_heard_to_the_end() -> None:
    spoken = line()
    async with spoken.call(GOES_ON) as caller:
        await asks(caller)
        await asks(caller)
        await caller.says(8)
        assert len(caller.all(ResponseDone)) == len(caller.all(ResponseCreated)) == 1
        await caller.is_silent(0.6)
        await asyncio.sleep(30)
    assert questions(spoken) == [["What?"], ["What?", "And then?", "And last?"]]


async def test_who_still_speaks_when_the_answer_ends_and_is_taken_back_holds_up_nobody() -> None:
    spoken = line()
    async with spoken.call(GOES_ON) as caller:
        await asks(caller)
        await asks(caller)
        await caller.says(8)
        caller.session.clear()
        await asyncio.sleep(30)
    assert questions(spoken) == [["What?"], ["What?", "And then?"]]


async def test_a_question_over_an_answer_that_is_cancelled_is_answered() -> None:
    spoken = line()
    async with spoken.call(GOES_ON) as caller:
        await asks(caller)
        await asks(caller)
        caller.session.cancel()
        await asyncio.sleep(30)
    assert [done.status for done in caller.all(ResponseDone)] == ["cancelled", "completed"]
    assert [event for event in caller.told if isinstance(event[1], ResponseDone | ResponseCreated)][1][1] == (
        caller.all(ResponseDone)[0]
    ), "the old answer ends before the next begins"


@pytest.mark.parametrize("why", ["deleted", "asked for", "not wanted"])
async def test_a_question_over_an_answer_is_not_answered_if(why: str) -> None:
    spoken = line()
    async with spoken.call(SILENT if why == "not wanted" else GOES_ON) as caller:
        await asks(caller)
        if why == "not wanted":
            caller.session.respond()
        await asks(caller)
        if why == "deleted":
            caller.session.conversation.delete(caller.all(InputCommitted)[-1].item_id)
        elif why == "asked for":
            caller.session.cancel()
            with pytest.raises(Exception, match="is still being given"):
                caller.session.respond()
        await asyncio.sleep(30)
    assert len(caller.all(ResponseCreated)) == (2 if why == "asked for" else 1)


async def test_a_pipeline_that_shuts_down_begins_no_answer_to_what_was_said_over_one() -> None:
    async with line().call(GOES_ON) as caller:
        await asks(caller)
        await asks(caller)
        caller.session.shut_down()
        await asyncio.sleep(30)
    assert [(done.status, done.reason) for done in caller.all(ResponseDone)] == [("cancelled", "shutting_down")]
    assert len(caller.all(ResponseCreated)) == 1


@pytest.mark.parametrize("over_an_answer", [True, False])
async def test_a_pipeline_that_shuts_down_begins_no_answer_to_what_is_said_meanwhile(over_an_answer: bool) -> None:
    async with line().call(GOES_ON) as caller:
        if over_an_answer:
            await asks(caller)
        await caller.says(0.5)
        caller.session.shut_down()
        await caller.is_silent(0.6)
        await asyncio.sleep(30)
    assert [done.reason for done in caller.all(ResponseDone)] == ["shutting_down"] * over_an_answer
    assert len(caller.all(ResponseCreated)) == len(caller.all(ResponseDone))


async def test_a_session_that_ends_owes_nothing() -> None:
    with nothing_left():
        async with line().call(GOES_ON) as caller:
            await asks(caller)
            await asks(caller)
    assert len(caller.all(ResponseCreated)) == 1
