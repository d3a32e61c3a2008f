"""What a session remembers of a conversation that does not run smoothly."""

import asyncio
from dataclasses import replace

import numpy as np

from pipeline.engines.fake import FakeEngine, hears, speaks, writes
from pipeline.errors import EngineError
from pipeline.speech.vad_frontend import FRAME
from pipeline.types.chunks import ChatMessage, ChatPrompt, TextChunk
from pipeline.types.events.input_events import TranscriptionCompleted
from pipeline.types.events.response_events import ResponseDone, ResponseItemAdded, TranscriptDelta
from pipeline.types.history import History, Item
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from pipeline.types.turn_request import ResponseOptions
from tests.scenario import Line

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512)))
LONG = "One two three four. " * 10


async def test_an_utterance_that_nobody_answered_is_heard_to_its_end_when_the_next_one_opens() -> None:
    line = Line(
        asr=hears("What is the capital", "of France?", pass_s=0.4), aura=replace(writes(LONG, word_s=1.0), abort_s=0.1)
    )
    async with line.call() as caller:
        await caller.says(1.0)
        await caller.is_silent(1.0)
        assert await line.aura.busy() == 1, "a guess"
        first = caller.session.commit()
        await caller.says(0.3)
        assert await line.aura.busy() == 0, "it can no longer come true"
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(1)
        assert caller.remembered(first) == "What is the capital"
        prompt = [message.text for message in line.questions[-1].messages]
        assert prompt == ["What is the capital", "of France?"]


async def test_what_was_said_last_is_answered_though_the_person_has_begun_to_speak_again() -> None:
    line = Line(asr=hears("What is the capital of France?", "Well.", pass_s=0.5))
    async with line.call() as caller:
        await caller.says(1.0)
        caller.session.commit()
        await caller.says(0.2)
        caller.session.respond()
        await caller.says(2.0)
        assert [message.text for message in line.questions[0].messages] == ["What is the capital of France?"]
        assert caller.when(TranscriptDelta) == caller.when(TranscriptionCompleted)


async def test_two_commits_in_a_row_are_transcribed_each_for_itself() -> None:
    line = Line(asr=hears("First.", "Second.", pass_s=2.0))
    async with line.call() as caller:
        items = []
        for _ in range(2):
            await caller.says(0.5)
            items.append(caller.session.commit())
        caller.session.respond()
        await asyncio.sleep(5)
        assert [(done.item_id, done.text) for done in caller.all(TranscriptionCompleted)] == [
            (items[0], "First."),
            (items[1], "Second."),
        ]
        assert [message.text for message in line.questions[-1].messages] == ["First.", "Second."]


async def test_a_typed_question_is_answered_while_somebody_speaks() -> None:
    line = Line(asr=hears("And of Spain?"), aura=writes(lambda chat: f"About {chat.messages[-1].text}."))
    async with line.call() as caller:
        await caller.says(0.5)
        caller.session.conversation.create(Item("typed", "user", "France"))
        caller.session.respond()
        await caller.says(2.0)
        assert caller.heard_text() == "About France."
        assert [chat.messages[-1].text for chat in line.questions] == ["France"]
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(3)
    assert [(message.role, message.text) for message in caller.session.history.messages()] == [
        ("user", "France"),
        ("assistant", "About France."),
        ("user", "And of Spain?"),
        ("assistant", "About And of Spain?."),
    ]


async def test_an_answer_that_is_deleted_while_it_is_given_stays_deleted() -> None:
    async with Line(aura=writes(LONG, word_s=0.1)).call() as caller:
        caller.session.respond()
        await asyncio.sleep(2)
        item = caller.all(ResponseItemAdded)[0].item
        caller.session.conversation.delete(item.id)
        caller.session.cancel()
        await asyncio.sleep(1)
        assert caller.session.history == History()


async def test_an_answer_that_is_truncated_while_it_is_given_ends_with_what_was_heard() -> None:
    async with Line(aura=writes("One two. Three four."), tts=speaks(ms_per_word=1_000)).call() as caller:
        caller.session.respond()
        await asyncio.sleep(1)
        item = caller.all(ResponseItemAdded)[0].item
        caller.session.truncate(item.id, 3_200)
        await asyncio.sleep(10)
        assert caller.answer().status == "completed"
        assert caller.remembered(item.id) == "One two. Three"
        done = caller.answer().item
        assert done
        assert not done.complete


async def test_what_was_said_before_a_failure_is_remembered_whole() -> None:
    failing: FakeEngine[ChatPrompt, TextChunk] = FakeEngine(
        lambda chat: [(0.0, TextChunk("One two three four.")), (1.0, EngineError("aura", "gone"))]
    )
    async with Line(aura=failing).call() as caller:
        caller.session.respond()
        await asyncio.sleep(5)
        done = caller.answer()
        assert done.item
        assert (done.status, done.item.complete) == ("failed", False)
        assert caller.remembered(done.item.id) == "One two three four.", "all of it has left, and will be played"


async def test_an_answer_out_of_band_does_not_touch_the_conversation() -> None:
    line = Line(asr=hears("And this?"))
    async with line.call() as caller:
        caller.session.conversation.create(Item("q", "user", "Hello."))
        before = caller.session.history
        await caller.says(0.5)
        said = caller.session.commit()
        caller.session.respond(history=History((Item("x", "user", "Something else."),)))
        await asyncio.sleep(5)
        assert line.questions[0].messages == (ChatMessage("user", "Something else."),)
        assert caller.answer().status == "completed"
        assert caller.session.history == before.with_item(Item(said, "user", "And this?", "audio"))
        caller.session.respond()
        await asyncio.sleep(5)
        assert [message.text for message in line.questions[-1].messages] == ["Hello.", "And this?"]


async def test_an_answer_that_is_not_kept_still_waits_for_the_end_of_what_was_said() -> None:
    line = Line(asr=hears("What is it?", pass_s=0.5))
    async with line.call() as caller:
        await caller.says(0.5)
        said = caller.session.commit()
        caller.session.respond(kept=False)
        await asyncio.sleep(5)
        assert [message.text for message in line.questions[-1].messages] == ["What is it?"]
        assert caller.answer().status == "completed"
        assert [item.id for item in caller.session.history.items] == [said]


async def test_what_was_said_and_deleted_is_not_answered() -> None:
    line = Line(aura=writes(LONG, word_s=1.0))
    async with line.call() as caller:
        caller.session.conversation.create(Item("q", "user", "Hello."))
        await caller.says(1.0)
        await caller.is_silent(0.5)
        caller.session.conversation.delete(caller.session.commit())
        caller.session.respond()
        await asyncio.sleep(1)
        assert [message.text for message in line.questions[-1].messages] == ["Hello."]
        assert line.aura.aborted == ["s.0.1:aura"], "the guess"


async def test_no_prompt_is_cached_for_anybody_else() -> None:
    line = Line()
    async with line.call(SessionOptions(ResponseOptions(instructions="Be brief."))) as caller:
        caller.session.respond(ResponseOptions(cache_salt="another caller"))
        await asyncio.sleep(1)
    assert {chat.cache_salt for chat in line.aura.prompts} == {"s"}


async def test_two_turns_in_one_append_are_both_answered() -> None:
    line = Line(asr=hears("First.", "Second."))
    async with line.call(SERVER_VAD) as caller:
        loud, quiet = np.full(30 * FRAME, 0.5, np.float32), np.zeros(30 * FRAME, np.float32)
        await caller.session.append(np.concatenate([loud, quiet, loud, quiet]))
        await asyncio.sleep(5)
        assert [done.status for done in caller.all(ResponseDone)] == ["cancelled", "completed"]
        assert [message.text for message in line.questions[-1].messages] == ["First.", "Second."]
