"""However and whenever a session ends, nothing is left of it."""

import asyncio
from dataclasses import replace

import pytest

from pipeline.engines.fake import hears, speaks, writes
from pipeline.session.session import Session
from pipeline.types.events.input_events import ItemDeleted, TranscriptionCompleted
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from pipeline.types.turn_request import ResponseOptions
from tests.echo import Echo
from tests.scenario import Caller, Line, Loudness, Told
from tests.tidy import nothing_left

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512)))
LONG = "One two three four. " * 10


async def everything(caller: Caller) -> None:
    """Talks on and on: questions, guesses, answers, interruptions, and sounds that are taken back."""
    while True:
        caller.session.configure(
            SessionOptions(ResponseOptions(instructions=f"It is {now()} o'clock."), SERVER_VAD.detection, True)
        )
        await caller.says(0.7)
        await caller.is_silent(1.9)
        await caller.says(0.4)
        await caller.is_silent(0.3)
        caller.session.commit()
        await caller.says(0.2)
        caller.session.clear()


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.7, 0.96, 1.0, 1.3, 1.6, 2.6, 2.8, 3.0, 3.1, 3.3, 3.5, 5.0, 9.9])
async def test_a_session_that_closes_in_the_middle_leaves_no_task_no_generator_and_no_busy_engine(
    seconds: float,
) -> None:
    line = Line(
        asr=replace(hears("Is it?", "It is.", "Well?", pass_s=0.2), abort_s=0.1),
        aura=replace(writes(LONG, first_s=0.1, word_s=0.05), abort_s=0.3),
        tts=replace(speaks(ms_per_word=200, clause_s=0.1), abort_s=0.2),
    )
    with nothing_left():
        async with line.call() as caller, asyncio.TaskGroup() as tasks:
            talking = tasks.create_task(everything(caller))
            await asyncio.sleep(seconds)
            talking.cancel()
            closing = now()
        assert (line.asr.running, line.aura.running, line.tts.running) == ([], [], [])
        assert now() - closing <= 0.3 + 1e-6, "as long as the slowest engine takes"


async def test_a_session_that_closes_while_it_drops_a_guess_waits_for_that_guess() -> None:
    line = Line(asr=hears("Is it", "Is it Paris?"), aura=replace(writes(LONG, word_s=0.1), abort_s=2.0))
    with nothing_left():
        async with line.call() as caller:
            for _ in range(2):
                await caller.says(0.5)
                await caller.is_silent(0.5)
            assert len(line.aura.running) == 2, "the first one is being dropped"
    assert line.aura.running == []


async def test_a_session_whose_caller_breaks_down_closes_as_cleanly() -> None:
    line = Line(aura=replace(writes(LONG, word_s=0.1), abort_s=0.3))
    with nothing_left(), pytest.raises(ZeroDivisionError):
        async with line.call(SERVER_VAD) as caller:
            await caller.says(0.7)
            await caller.is_silent(1.0)
            raise ZeroDivisionError
    assert line.aura.running == []


async def test_half_a_question_is_not_left_to_whoever_goes_on_with_the_conversation() -> None:
    line = Line(asr=hears("Is it?", "Do not book", "Do not book Paris, book Rome.", pass_s=0.2))
    async with line.call() as caller:
        await caller.says(0.5)
        whole = caller.session.commit()
        await asyncio.sleep(1)
        await caller.says(0.5)
        await caller.is_silent(0.5)
        await caller.says(0.5)
        half = caller.session.commit()
        assert (caller.remembered(whole), caller.remembered(half)) == ("Is it?", "Do not book")
    left = caller.session.history
    assert [event.item_id for event in caller.all(ItemDeleted)] == [half], "and nobody takes it for a part of it"
    assert [(item.id, item.text) for item in left.items] == [(whole, "Is it?")]
    async with Session("s", line.stages(), Loudness(), Told(), left) as resumed:
        resumed.respond()
        await asyncio.sleep(1)
    assert [message.text for message in line.questions[-1].messages] == ["Is it?"]


async def test_half_a_question_that_was_deleted_is_not_missed_when_the_session_ends() -> None:
    line = Line(asr=hears("Is it?", pass_s=9.0))
    async with line.call() as caller:
        await caller.says(0.5)
        caller.session.conversation.delete(caller.session.commit())
    assert len(caller.all(ItemDeleted)) == 1 and not caller.session.history.items


async def test_what_is_answered_by_its_sound_is_left_without_its_words() -> None:
    echo = Echo(hears("Do not book", pass_s=9.0))
    async with echo.call(SessionOptions()) as caller:
        await caller.says(1.6)
        said = caller.session.commit()
        assert not caller.all(TranscriptionCompleted)
    (item,) = caller.session.history.items
    assert item.id == said and item.sound, "all of the question is in it"


async def test_an_hour_of_conversation_leaves_nothing_but_its_history() -> None:
    line = Line(asr=hears("Is it?", pass_s=0.1), aura=writes("It is.", first_s=0.1))
    async with line.call(SERVER_VAD) as caller:
        for _ in range(60):
            await caller.says(0.5)
            await caller.is_silent(1.5)
            await asyncio.sleep(58)
            assert len(asyncio.all_tasks()) == 2, "the test's and the loop's"
        assert len(caller.session.history.items) == 120


def now() -> float:
    return round(asyncio.get_running_loop().time(), 6)
