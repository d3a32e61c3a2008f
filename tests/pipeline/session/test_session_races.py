"""What happens to a session when things come at the wrong moment."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from pipeline.engines.fake import FakeEngine, Step, hears, speaks, writes
from pipeline.errors import EngineError, RequestError
from pipeline.session.session import Session
from pipeline.types.chunks import AsrInput, ChatPrompt, TextChunk, Transcript
from pipeline.types.events.event_sink import SessionEvent
from pipeline.types.events.input_events import (
    InputCleared,
    InputCommitted,
    ItemAdded,
    TranscriptionCompleted,
    TranscriptionFailed,
)
from pipeline.types.events.response_events import (
    AudioDelta,
    EnginesReleased,
    ResponseCreated,
    ResponseDone,
    ResponseItemAdded,
    TranscriptDelta,
)
from pipeline.types.history import History, Item
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from pipeline.types.turn_request import ResponseOptions
from tests.scenario import Caller, Line, Loudness, Told
from tests.tidy import nothing_left

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512)))
LONG = "One two three four. " * 10


async def test_an_answer_that_is_cancelled_before_its_first_word_was_never_there() -> None:
    line = Line(aura=writes("Hello.", first_s=1.0))
    async with line.call() as caller:
        caller.session.respond()
        await asyncio.sleep(0.5)
        caller.session.cancel()
        await asyncio.sleep(5)
        assert [type(event) for _, event in caller.told] == [
            ResponseCreated,
            ResponseDone,
            EnginesReleased,
        ]
        assert caller.answer().item is None
        assert caller.session.history == History()
        assert line.aura.aborted == ["s.0:aura"]


async def test_an_answer_may_be_cancelled_in_the_tick_in_which_it_was_asked_for() -> None:
    line = Line()
    with nothing_left():
        async with line.call() as caller:
            for _ in range(20):
                caller.session.respond()
                caller.session.cancel()
            await asyncio.sleep(5)
    assert len(caller.all(ResponseDone)) == 20
    assert caller.all(ResponseItemAdded) == []


async def test_a_second_cancel_is_refused_and_harms_nothing() -> None:
    async with Line(aura=writes(LONG, word_s=0.1)).call() as caller:
        for _ in range(2):
            response_id = caller.session.respond()
            await asyncio.sleep(1)
            caller.session.cancel()
            for again in (None, response_id):
                with pytest.raises(RequestError, match="no active response") as refused:
                    caller.session.cancel(again)
                assert refused.value.code == "response_cancel_not_active"
    assert [done.status for done in caller.all(ResponseDone)] == ["cancelled"] * 2


async def test_a_cancelled_answer_has_its_timings_too() -> None:
    async with Line(aura=writes(LONG, word_s=0.1)).call() as caller:
        await caller.says(0.96)
        await caller.is_silent(0.544)
        caller.session.commit()
        await asyncio.sleep(0.5)
        caller.session.respond()
        await asyncio.sleep(0.5)
        caller.session.cancel()
        timings = caller.answer().timings
    assert (timings["speech_end"], timings["committed"], timings["created"]) == (0.928, 1.504, 2.004)


async def test_it_is_told_how_long_each_engine_took_to_drop_a_cancelled_answer() -> None:
    line = Line(aura=replace(writes(LONG, word_s=0.2), abort_s=0.3), tts=replace(speaks(clause_s=0.9), abort_s=0.1))
    async with line.call() as caller:
        for at_work in ({"aura": 0.3}, {"aura": 0.3, "tts": 0.1}):
            response_id = caller.session.respond()
            await asyncio.sleep(0.3 if len(at_work) == 1 else 1.0)
            caller.session.cancel()
            await asyncio.sleep(1)
            dropped = caller.all(EnginesReleased)[-1]
            assert dropped.response_id == response_id and dict(dropped.took) == pytest.approx(at_work)
        caller.session.respond()
        await asyncio.sleep(60)
    assert len(caller.all(EnginesReleased)) == 2, "an answer that ends by itself is not dropped"


async def test_a_cancel_by_an_old_id_spares_the_newer_answer() -> None:
    async with Line().call() as caller:
        old = caller.session.respond()
        await asyncio.sleep(5)
        caller.session.respond()
        with pytest.raises(RequestError):
            caller.session.cancel(old)
        await asyncio.sleep(5)
    assert [done.status for done in caller.all(ResponseDone)] == ["completed"] * 2


async def test_an_answer_that_is_cancelled_at_any_moment_ends_once() -> None:
    async with Line().call() as caller:
        for ticks in range(60):
            caller.session.respond()
            for _ in range(ticks):
                await asyncio.sleep(0)
            with suppress(RequestError):
                caller.session.cancel()
            await asyncio.sleep(1)
    done = caller.all(ResponseDone)
    assert [answer.response_id for answer in done] == [answer.response_id for answer in caller.all(ResponseCreated)]
    assert {answer.status for answer in done} == {"cancelled", "completed"}


async def test_a_second_answer_at_once_is_refused() -> None:
    async with Line().call() as caller:
        first = caller.session.respond()
        with pytest.raises(RequestError, match=first) as refused:
            caller.session.respond()
        assert refused.value.code == "conversation_already_has_active_response"


async def test_an_answer_waits_for_the_end_of_what_was_said_and_for_nothing_else() -> None:
    line = Line(asr=hears("What is the capital of France?", pass_s=0.5), aura=writes("Paris.", first_s=0.25))
    async with line.call() as caller:
        await caller.says(1.0)
        request = now()
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(3)
    assert caller.when(TranscriptionCompleted) == [pytest.approx(request + 0.5)]
    assert caller.when(TranscriptDelta) == [pytest.approx(request + 0.75)]
    assert len(line.asr.prompts) == len(line.questions) == 1


async def test_a_guess_is_adopted_though_the_wishes_were_sent_along_again() -> None:
    line = Line(aura=writes("Paris.", first_s=0.25))
    async with line.call(SessionOptions(ResponseOptions(voice="heart"))) as caller:
        await caller.says(1.0)
        await caller.is_silent(1.0)
        caller.session.commit()
        caller.session.respond(ResponseOptions(voice="heart"))
        await asyncio.sleep(1)
    assert len(line.questions) == 1
    assert line.aura.aborted == []


async def test_commit_respond_and_cancel_in_one_tick_leave_what_was_said() -> None:
    line = Line(asr=hears("What is the capital of France?", pass_s=0.3))
    async with line.call() as caller:
        await caller.says(1.0)
        item_id = caller.session.commit()
        caller.session.respond()
        caller.session.cancel()
        assert caller.answer().status == "cancelled"
        await asyncio.sleep(1)
        assert caller.remembered(item_id) == "What is the capital of France?"
        assert line.questions == []
        caller.session.respond()
        await asyncio.sleep(3)
        assert [message.text for message in line.questions[0].messages] == ["What is the capital of France?"]
        assert caller.answer().status == "completed"


async def test_the_next_answer_does_not_wait_until_the_interrupted_one_has_been_aborted() -> None:
    line = Line(aura=replace(writes(LONG, word_s=0.2), abort_s=30.0), tts=replace(speaks(clause_s=0.1), abort_s=30.0))
    async with line.call(SERVER_VAD) as caller:
        for _ in range(2):
            await caller.says(0.5)
            await caller.is_silent(2.0)
        assert await line.aura.busy() == 2, "the old request is on its way out"
        first, second = (done.response_id for done in caller.all(ResponseCreated))
        assert [done.response_id for done in caller.all(ResponseDone)] == [first]
        ended = caller.when(ResponseDone)[0]
        late = [event for at, event in caller.told if at > ended and getattr(event, "response_id", second) != second]
        assert late == []
        request = caller.when(ResponseCreated)[1]
        spoken = next(at for at in caller.when(TranscriptDelta) if at > request)
        assert spoken - request == pytest.approx(3 * 0.2 + 0.1 - 0.256, abs=1e-3), "begun at the pause"
        await asyncio.sleep(60)
        assert await line.aura.busy() == 0


async def test_nothing_is_guessed_while_an_answer_is_being_given() -> None:
    line = Line(aura=writes(LONG, word_s=0.1))
    async with line.call() as caller:
        caller.session.respond()
        await caller.is_silent(1.0)
        await caller.says(1.0)
        await caller.is_silent(1.0)
        assert len(line.asr.prompts) == 1
        assert len(line.questions) == 1
        caller.session.cancel()
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(1)
        assert len(line.questions) == 2


async def test_words_that_turn_out_to_be_none_are_not_answered() -> None:
    line = Line(asr=hears("Mhm.", ""))
    async with line.call() as caller:
        for _ in range(2):
            await caller.says(0.5)
            await caller.is_silent(0.5)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(3)
        assert [chat.messages[-1].text for chat in line.questions] == ["Mhm."], "a guess"
        assert caller.heard_text() == ""
        assert (caller.answer().status, caller.answer().item) == ("completed", None)


async def test_half_a_question_is_not_answered_if_the_rest_could_not_be_heard() -> None:
    def script(window: AsrInput) -> Iterator[Step[Transcript]]:
        heard = Transcript("What is", window.audio_end_ms, window.settles)
        yield 0.1, heard if window.audio_end_ms < 1_000 else EngineError("asr", "gone")

    async with Line(asr=FakeEngine(script)).call() as caller:
        await caller.says(0.5)
        await caller.is_silent(0.5)
        await caller.says(0.5)
        await caller.is_silent(0.5)
        assert caller.told == [], "nobody knows of the utterance yet"
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(3)
    assert [type(event) for _, event in caller.told] == [
        InputCommitted,
        ItemAdded,
        ResponseCreated,
        TranscriptionFailed,
        ResponseDone,
    ]
    assert caller.answer().error == "asr: gone"


@pytest.mark.parametrize("failing", [1, 2])
async def test_a_failed_guess_at_what_was_said_costs_neither_the_question_nor_its_answer(failing: int) -> None:
    left = [EngineError("asr", "out of memory")] * failing

    def script(window: AsrInput) -> Iterator[Step[Transcript]]:
        heard = Transcript("What is it?", window.audio_end_ms, window.settles)
        yield 0.1, left.pop() if left else heard

    async with Line(asr=FakeEngine(script)).call() as caller:
        await caller.says(0.5)
        await caller.is_silent(0.5)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(3)
    assert [heard.text for heard in caller.all(TranscriptionCompleted)] == ["What is it?"]
    assert caller.all(TranscriptionFailed) == []
    assert caller.answer().text == "The capital is Paris."


async def test_the_prompt_is_read_ahead_once_at_a_time_and_as_it_is_now() -> None:
    output: FakeEngine[ChatPrompt, TextChunk] = FakeEngine(lambda chat: [(60.0, TextChunk(""))])
    with nothing_left():
        async with Line(aura=output).call() as caller:
            for instructions in ("Be brief.", "Be kind."):
                caller.session.configure(SessionOptions(ResponseOptions(instructions=instructions)))
                await asyncio.sleep(1)
            assert (output.aborted, output.running) == (["s.0:aura"], ["s.1:aura"])


async def test_a_mistake_while_telling_fails_the_answer_and_spares_the_session() -> None:
    happened: list[SessionEvent] = []

    class Clumsy:
        def emit(self, event: SessionEvent) -> None:
            if isinstance(event, AudioDelta) and len(happened) < 5:
                raise ZeroDivisionError
            happened.append(event)

    async with Session("s", Line().stages(), Loudness(), Clumsy()) as session:
        session.respond()
        await asyncio.sleep(5)
        assert session.answering is None
        session.respond()
        await asyncio.sleep(5)
    assert [event.status for event in happened if isinstance(event, ResponseDone)] == ["failed", "completed"]


def now() -> float:
    return round(asyncio.get_running_loop().time(), 6)


class Gate:
    """A recogniser that is at its first window until it is let go."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()

    async def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        async for window in prompts:
            await self.opened.wait()
            yield Transcript("Hello.", window.audio_end_ms, window.settles)

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...


async def test_nothing_is_told_of_an_utterance_that_was_cleared_in_the_tick_in_which_it_was_understood() -> None:
    line, gate = Line(), Gate()
    sink = Told()
    session = Session("s", replace(line.stages(), recogniser=gate), Loudness(), sink)
    async with session:
        session.configure(SessionOptions(partials=True))
        caller = Caller(session, [])
        session.activity(True, None)
        await caller.says(2.0)
        gate.opened.set()
        session.clear()
        await asyncio.sleep(5)
    assert [type(event) for _, event in sink.events] == [InputCleared]


@pytest.mark.parametrize("heard", ["", "Well,"])
async def test_what_is_written_behind_a_sound_is_answered_with_it(heard: str) -> None:
    line = Line(hears(heard, pass_s=1.0))
    async with line.call() as caller:
        await caller.says(1.0)
        caller.session.commit()
        caller.session.write(Item("typed", "user", "how are you?"))
        caller.session.respond()
        await asyncio.sleep(5)
        assert caller.answer().text == "The capital is Paris."
    assert [message.text for message in line.questions[-1].messages] == [*([heard] if heard else []), "how are you?"]
