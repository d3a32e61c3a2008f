"""A model that hears the question itself: one stage from sound to sound, with a recogniser beside it or without one."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace

import numpy as np
import pytest

from pipeline.context.window import WindowLimits
from pipeline.engines.fake import hears, speaks, writes
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.session.session import Session
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import ChatMessage, ChatPrompt
from pipeline.types.events.input_events import PartialTranscript, TranscriptionCompleted
from pipeline.types.history import Item
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.echo import Echo
from tests.room import SERVER_VAD
from tests.scenario import AURA, TTS, Caller, Loudness, Told, to_chat, to_sentences


async def test_what_is_said_is_answered_by_its_sound_and_nothing_is_transcribed() -> None:
    echo = Echo()
    async with echo.call() as caller:
        await caller.says(1.6)
        await caller.is_silent(4)
        done = caller.answer()
        (item,) = (item for item in caller.session.history.items if item.is_question)
    assert (done.status, done.text) == ("completed", "Echo.")
    assert echo.heard_s == [[1.66]], "it began once, at the pause, and the end of the turn has adopted it"
    assert caller.heard_ms() == 1_664, "up to the silence in which a word may still end"
    assert not caller.all(TranscriptionCompleted) and not caller.all(PartialTranscript)
    assert item.sound and np.all(item.sound.pcm[: int(1.6 * SPEECH_RATE)] == 0.5) and item.text == item.transcript == ""


async def test_the_answer_is_ready_when_the_turn_ends() -> None:
    echo = Echo()
    async with echo.call() as caller:
        await caller.says(1.6)
        await caller.is_silent(2)
    created, timings = caller.answer().timings["created"], caller.answer().timings
    assert timings["first_pcm"] < created, "it was made while it was not certain that they had finished"


async def test_who_goes_on_after_a_pause_is_answered_once_with_all_of_it() -> None:
    echo = Echo()
    async with echo.call() as caller:
        await caller.says(0.96)
        await caller.is_silent(0.384)
        await caller.says(0.96)
        await caller.is_silent(4)
    assert [len(each) for each in echo.heard_s] == [1, 1] and echo.heard_s[0] == [1.02]
    assert echo.heard_s[1][0] == pytest.approx(2.37, abs=0.01), "the pause is part of what was said"
    assert len({event.response_id for event in caller.all(type(caller.answer()))}) == 1


async def test_a_short_noise_is_the_models_to_judge_and_its_silence_is_the_answer() -> None:
    async with Echo().call() as caller:
        await caller.says(0.32)
        await caller.is_silent(2)
        assert (caller.answer().status, caller.answer().silence, caller.heard_ms()) == ("completed", "model", 0)


async def test_whoever_speaks_over_the_answer_stops_it_and_is_answered_next() -> None:
    echo = Echo()
    async with echo.call() as caller:
        await caller.says(3.2)
        await caller.is_silent(1)
        await caller.says(1.6)
        await caller.is_silent(4)
        first, second = caller.all(type(caller.answer()))
    assert (first.status, first.reason) == ("cancelled", "turn_detected")
    assert second.status == "completed" and echo.heard_s[-1] == [3.26, 2.11], "both, with what came before the second"
    assert not echo.engine.running


async def test_a_recogniser_beside_the_answer_holds_nothing_up_and_changes_nothing() -> None:
    alone, beside = (
        Echo(),
        Echo(hears("Say it again.", pass_s=3.25)),
    )  # it comes between the pause and the end of the next question
    firsts, callers = [], list[Caller]()
    for echo in (alone, beside):
        async with echo.call() as caller:
            callers.append(caller)
            await caller.says(1.6)
            await caller.is_silent(2)
            await caller.says(0.96)
            await caller.is_silent(8)
        firsts.append([done.timings["first_pcm"] for done in caller.all(type(caller.answer()))])
    caller = callers[-1]
    transcribed = caller.all(TranscriptionCompleted)
    assert [each.text for each in transcribed] == ["Say it again."] * 2
    assert firsts[0] == firsts[1] and alone.heard_s == beside.heard_s
    spoken = [item for item in caller.session.history.items if item.is_question]
    assert [(item.text, item.words) for item in spoken] == [("", "Say it again.")] * 2


async def test_the_oldest_sounds_go_when_there_are_too_many_and_their_words_stay() -> None:
    echo = Echo(hears("Some words."), WindowLimits(sound_s=6, slack_sound_s=3))
    async with echo.call() as caller:
        for _ in range(4):
            await caller.says(1.92)
            await caller.is_silent(4)
        spoken = [item for item in caller.session.history.items if item.is_question]
    assert echo.heard_s[-1] == [1.98, 2.43, 2.43, 2.43], "while there is room in the slack"
    assert [item.sound is None for item in spoken] == [True, True, False, False]
    assert [item.text for item in spoken] == ["Some words."] * 2 + [""] * 2


async def test_of_a_very_long_utterance_the_end_is_heard() -> None:
    echo = Echo()
    async with echo.call() as caller:
        await caller.says(70)
        await caller.is_silent(2)
    (sound,) = (item.sound for item in caller.session.history.items if item.is_question)
    assert sound and sound.samples == pytest.approx(70 * SPEECH_RATE, abs=2_048)
    assert len(sound.pcm) == pytest.approx(60 * SPEECH_RATE, abs=8_000)


async def test_a_client_that_commits_and_asks_is_answered_and_committed_silence_asks_nothing() -> None:
    echo = Echo()
    async with echo.call(SessionOptions()) as caller:
        await caller.says(1.6)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(3)
        assert caller.answer().text == "Echo."
        await caller.is_silent(1)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(1)
        assert (caller.answer().silence, caller.heard_ms()) == ("no_words", 1_600)
    assert echo.heard_s == [[1.6]]


async def test_a_written_question_waits_for_no_transcript_of_what_was_said_before() -> None:
    echo = Echo(hears("Hello.", pass_s=30.0))
    async with echo.call(SessionOptions()) as caller:
        await caller.says(1.6)
        caller.session.commit()
        caller.session.write(Item("w", "user", "And this?"))
        caller.session.respond()
        await asyncio.sleep(1)
        assert caller.answer().status == "completed"
    assert [[item.id == "w" for item in each.history.items] for each in echo.engine.prompts] == [[False, True]]


async def test_one_that_hears_and_reads_the_words_waits_for_them_and_is_given_both() -> None:
    sounds: list[float | None] = []

    async def both(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
        async for question in inbox:
            if question.response_options.max_tokens != 0:
                sounds.extend(item.sound.seconds if item.sound else None for item in question.history.items)
            async for chat in to_chat(_one(question), request):
                yield chat

    writer = writes("Fine.")
    chain = (Stage(replace(AURA, hears=True), writer, both), Stage(TTS, speaks(), to_sentences))
    told = Told()
    session = Session("s", PipelineStages(hears("How are you?", pass_s=0.2), chain), Loudness(), told)
    async with session:
        session.configure(SERVER_VAD)
        caller = Caller(session, told.events)
        await caller.says(1.6)
        await caller.is_silent(3)
    assert caller.answer().text == "Fine." and sounds == [1.664]
    assert [chat.messages for chat in writer.prompts if chat.max_tokens] == [(ChatMessage("user", "How are you?"),)]


async def _one(question: TurnRequest) -> AsyncGenerator[TurnRequest, None]:
    yield question


def test_an_item_whose_sound_went_is_told_by_its_words() -> None:
    silent = Item("q", "user", "", "audio", transcript="Hello.").without_sound()
    assert (silent.text, silent.transcript, silent.words) == ("Hello.", "", "Hello.")


async def test_only_what_is_made_can_be_asked_for() -> None:
    stages = Echo().stages()
    assert [stage.spec.model_stage for stage in stages.route(ResponseOptions())] == ["echo"]
    assert [stage.spec.model_stage for stage in stages.route(ResponseOptions(max_tokens=0))] == ["echo"]
