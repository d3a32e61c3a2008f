"""A caller's conversation, told on virtual time with scripted engines."""

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest

from pipeline.engines.fake import FakeEngine, hears, speaks, writes
from pipeline.errors import EngineError, RequestError
from pipeline.types.chunks import AsrInput, ChatMessage, ChatPrompt, TextChunk, Transcript
from pipeline.types.events.input_events import (
    InputCleared,
    InputCommitted,
    ItemAdded,
    PartialTranscript,
    SpeechStarted,
    SpeechStopped,
    TranscriptionCompleted,
    TranscriptionFailed,
)
from pipeline.types.events.response_events import (
    AudioDelta,
    ResponseCreated,
    ResponseDone,
    ResponseItemAdded,
    ResponseItemDone,
    TranscriptDelta,
)
from pipeline.types.history import Item
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from pipeline.types.turn_request import ResponseOptions
from tests.scenario import Caller, Line

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512)))
PARIS = "The capital is Paris."


async def test_a_spoken_question_is_answered_aloud() -> None:
    async with Line().call(SERVER_VAD) as caller:
        await caller.says(1.0)
        await caller.is_silent(2.0)
        await asyncio.sleep(3)
        kinds = [type(event) for _, event in caller.told]
    assert kinds == [
        SpeechStarted,
        SpeechStopped,
        InputCommitted,
        ItemAdded,
        ResponseCreated,
        TranscriptionCompleted,
        ResponseItemAdded,
        TranscriptDelta,
        *[AudioDelta] * 6,
        ResponseItemDone,
        ResponseDone,
    ]
    assert caller.heard_text() == PARIS
    assert caller.heard_ms() == 4 * 300
    assert caller.session.history.messages() == (
        ChatMessage("user", "What is the capital of France?"),
        ChatMessage("assistant", PARIS),
    )


async def test_the_answer_is_begun_at_a_pause_and_ready_when_the_turn_is_certain() -> None:
    line = Line(asr=hears("What is the capital of France?", pass_s=0.1), aura=writes(PARIS, first_s=0.1))
    async with line.call() as caller:
        await caller.says(1.0)
        await caller.is_silent(1.0)
        assert line.tts.prompts, "the voice has begun"
        assert caller.told == [], "and nobody was told"
        caller.session.commit()
        caller.session.respond()
        now = 2.0
        await asyncio.sleep(0.01)
    assert caller.when(AudioDelta)[0] == pytest.approx(now, abs=0.05)
    assert len(line.questions) == 1, "one answer was written, and it was adopted"


async def test_a_guess_that_does_not_come_true_leaves_no_trace() -> None:
    line = Line(
        asr=hears("What is the capital", "What is the capital of Spain?"), aura=writes(lambda c: c.messages[-1].text)
    )
    async with line.call() as caller:
        await caller.says(1.0)
        await caller.is_silent(0.4)
        assert [chat.messages[-1].text for chat in line.questions] == ["What is the capital"]
        await caller.says(1.0)
        await caller.is_silent(0.4)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(5)
    assert caller.heard_text() == "What is the capital of Spain?"


async def test_barge_in_keeps_only_what_was_heard() -> None:
    answer = "One two three four. Five six seven eight. Nine ten eleven twelve."
    line = Line(aura=writes(answer), tts=speaks(ms_per_word=500))
    async with line.call(SERVER_VAD) as caller:
        await caller.says(1.0)
        await caller.is_silent(0.6)
        began = caller.when(AudioDelta)[0]
        await caller.is_silent(2.5)
        await caller.says(0.2)
        done = caller.answer()
        assert done.item
        assert (done.status, done.reason) == ("cancelled", "turn_detected")
        assert await line.tts.busy() == 0
        heard = caller.remembered(done.item.id)
        stopped = caller.when(ResponseDone)[0]
        assert stopped - began == pytest.approx(2.7, abs=0.15)
        assert heard == "One two three four. Five"
        sounded = len(caller.all(AudioDelta))
        await caller.is_silent(0.3)
        assert len(caller.all(AudioDelta)) == sounded, "no sound follows the cancel"


async def test_truncation_tells_exactly_what_was_heard() -> None:
    async with Line().call() as caller:
        caller.session.conversation.create(Item("q", "user", "Hello?"))
        caller.session.respond()
        await asyncio.sleep(0.1)
        item = caller.answer().item
        assert item
        caller.session.truncate(item.id, 700)
        assert caller.remembered(item.id) == "The capital"
        caller.session.truncate(item.id, 5_000)
        assert caller.remembered(item.id) == PARIS


async def test_sound_is_at_most_a_second_and_a_half_ahead() -> None:
    line = Line(aura=writes("word " * 40 + "end."), tts=speaks(ms_per_word=250))
    async with line.call() as caller:
        caller.session.respond()
        await asyncio.sleep(60)
    times = caller.when(AudioDelta)
    ahead = [position * 0.2 - (at - times[0]) for position, at in enumerate(times)]
    assert max(ahead) <= 1.5 + 1e-6
    assert times[-1] - times[0] == pytest.approx(41 * 0.25 - 1.5, abs=0.21)


async def test_a_cancel_is_told_at_once_and_the_engines_stop() -> None:
    line = Line(aura=writes("word " * 100, word_s=0.1))
    async with line.call() as caller:
        caller.session.respond()
        await asyncio.sleep(1.0)
        assert await line.aura.busy() == 1
        caller.session.cancel()
        assert isinstance(caller.told[-1][1], ResponseDone)
        await asyncio.sleep(0.01)
        assert await line.aura.busy() == 0
        with pytest.raises(RequestError, match="no active response"):
            caller.session.cancel()
        caller.session.respond()


async def test_silence_is_an_answer_without_an_item() -> None:
    async with Line(aura=writes("")).call() as caller:
        caller.session.respond()
        await asyncio.sleep(1)
    assert [type(event) for _, event in caller.told] == [ResponseCreated, ResponseDone]
    assert caller.answer().item is None


async def test_a_sound_without_words_asks_nothing() -> None:
    line = Line(asr=hears(""))
    async with line.call(SERVER_VAD) as caller:
        await caller.says(0.3)
        await caller.is_silent(1.0)
        assert caller.all(TranscriptionCompleted)[0].text == ""
        assert caller.answer().item is None
        assert line.questions == []


async def test_a_failed_stage_ends_the_turn_and_not_the_session() -> None:
    broken = [EngineError("aura", "out of memory"), EngineError("aura", "out of memory")]

    def script(chat: ChatPrompt) -> Iterator[tuple[float, TextChunk | EngineError]]:
        yield 0.1, broken.pop() if broken else TextChunk("Fine.")

    async with Line(aura=FakeEngine(script)).call() as caller:
        caller.session.respond()
        await asyncio.sleep(1)
        failed = caller.answer()
        assert (failed.status, failed.error) == ("failed", "aura: out of memory")
        broken.clear()
        caller.session.respond()
        await asyncio.sleep(1)
        assert caller.heard_text() == "Fine."


async def test_a_failing_recogniser_fails_the_answer_by_name() -> None:
    def script(window: AsrInput) -> Iterator[tuple[float, Transcript | EngineError]]:
        yield 0.1, EngineError("asr", "no such language: xx")

    async with Line(asr=FakeEngine(script)).call(SERVER_VAD) as caller:
        await caller.says(0.5)
        await caller.is_silent(1.5)
    assert caller.all(TranscriptionFailed)
    assert caller.answer().status == "failed"


async def test_a_text_answer_needs_no_voice() -> None:
    line = Line()
    async with line.call(SessionOptions(ResponseOptions(modality="text"))) as caller:
        caller.session.respond()
        await asyncio.sleep(1)
    assert caller.heard_text() == PARIS
    assert line.tts.prompts == []


async def test_a_given_text_is_spoken_as_it_is_and_remembered() -> None:
    line = Line()
    async with line.call() as caller:
        caller.session.respond(ResponseOptions(say="Hello. I am here."))
        await asyncio.sleep(5)
    assert caller.heard_text() == "Hello. I am here."
    assert line.questions == []
    assert caller.session.history.messages() == (ChatMessage("assistant", "Hello. I am here."),)


async def test_an_utterance_that_nobody_answers_stays_in_the_conversation() -> None:
    line = Line(asr=hears("First.", "Second.", pass_s=0.2))
    async with line.call() as caller:
        for _ in range(2):
            await caller.says(0.5)
            caller.session.commit()
        await asyncio.sleep(0.5)
        caller.session.respond()
        await asyncio.sleep(1)
        assert [m.text for m in line.questions[-1].messages] == ["First.", "Second."]


async def test_a_cough_is_forgotten_by_a_caller_with_its_own_turn_detection() -> None:
    line = Line(asr=hears("", "Hello?"))
    async with line.call() as caller:
        await caller.says(0.3)
        await caller.is_silent(3.0)
        await caller.says(0.5)
        await caller.is_silent(0.3)
        caller.session.commit()
        await asyncio.sleep(0.1)
        assert caller.all(TranscriptionCompleted)[0].text == "Hello?"
        assert line.asr.prompts[-1].audio_end_ms < 1500


async def test_what_was_heard_in_a_lull_is_not_heard_again_at_the_pause() -> None:
    line = Line()
    async with line.call() as caller:
        await caller.says(0.5)
        await caller.is_silent(0.5)
        caller.session.commit()
        await asyncio.sleep(1)
    assert len(line.asr.prompts) == 1


async def test_what_was_heard_in_a_lull_is_not_heard_again_at_the_commit() -> None:
    line = Line()
    async with line.call() as caller:
        await caller.says(0.5)
        await caller.is_silent(0.128)
        await caller.session.append(np.zeros(160, np.float32))  # a frame has begun
        caller.session.commit()
        await asyncio.sleep(1)
    assert len(line.asr.prompts) == 1


async def test_too_short_a_commit_is_refused() -> None:
    async with Line().call() as caller:
        await caller.is_silent(0.064)
        with pytest.raises(RequestError, match="64 ms") as refused:
            caller.session.commit()
        assert refused.value.code == "input_audio_buffer_commit_empty"


async def test_what_was_all_heard_in_the_lull_is_told_to_hold_at_the_pause() -> None:
    async with Line().call(SessionOptions(partials=True)) as caller:
        await caller.says(1.0)
        await caller.is_silent(1.0)
        heard = [(at, event.hypothesis.settled) for at, event in caller.told if isinstance(event, PartialTranscript)]
    settled = [at for at, settles in heard if settles]
    assert len(settled) == 1 and settled[0] == heard[-1][0]
    assert settled[0] < 1.5


def partials(caller: Caller) -> list[PartialTranscript]:
    return [event for _, event in caller.told if isinstance(event, PartialTranscript)]


async def test_a_caller_whose_own_pause_comes_later_is_told_again_what_was_heard() -> None:
    async with Line().call(SessionOptions(partials=True)) as caller:
        caller.session.activity(True)
        await caller.says(1.0)
        await caller.is_silent(0.6)
        before = len(partials(caller))
        assert partials(caller)[-1].hypothesis.settled
        caller.session.activity(False, 1_100)
        assert partials(caller)[before:] == [partials(caller)[before - 1]]
        caller.session.activity(True)
        before = len(partials(caller))
        caller.session.activity(False)
        assert partials(caller)[before:] == []  # there is more to be heard first


async def test_the_next_prompt_is_read_ahead_after_each_answer_and_while_somebody_speaks() -> None:
    line = Line(asr=hears("What is the capital of France?"))
    async with line.call(SessionOptions(ResponseOptions(instructions="Be brief."), partials=True)) as caller:
        await asyncio.sleep(1)
        assert line.read_ahead == [""]
        caller.session.respond(ResponseOptions(say="Hello."))
        await asyncio.sleep(5)
        assert line.read_ahead[1:] == ["Hello."]
        await caller.says(2.0)
        assert line.read_ahead[2:] == ["Hello.\nWhat is the capital of France?"]
        assert line.questions == []


async def test_nothing_is_read_ahead_after_a_cancel() -> None:
    line = Line(aura=writes("One. Two. Three. Four.", word_s=1.0))
    async with line.call() as caller:
        caller.session.respond()
        await asyncio.sleep(2.5)
        caller.session.cancel()
        await asyncio.sleep(5)
        assert line.read_ahead == []


async def test_clearing_is_told_whether_there_was_anything_or_not() -> None:
    async with Line().call(SERVER_VAD) as caller:
        caller.session.clear()
        await caller.says(0.5)
        caller.session.clear()
        await asyncio.sleep(5)
        assert [type(event) for _, event in caller.told] == [
            InputCleared,
            SpeechStarted,
            InputCleared,
        ]
