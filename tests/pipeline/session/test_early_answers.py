"""A caller whose question is answered with the words that were heard last, while the last pass is still under way."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import pytest

from pipeline.engines.fake import FakeEngine, Step, hears, writes
from pipeline.errors import EngineError
from pipeline.types.chunks import AsrInput, ChatMessage, ChatPrompt, TextChunk, Transcript
from pipeline.types.events.input_events import EarlyAnswersEnded, TranscriptionFailed
from pipeline.types.events.response_events import AudioDelta, ResponseCreated, ResponseDone, ResponseItemAdded
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from tests.room import Room, seen
from tests.scenario import Caller, Line
from tests.tidy import nothing_left

HI, HI_ANN = "Hi.", "Hi Ann."
LISTENING = SessionOptions(partials=True)
PASS_S = 0.3


def line(*texts: str, pass_s: float = PASS_S, early_ms: int = 400) -> Line:
    """A recogniser that takes its time, and a writer that says what it was told 0.1 s after it was."""
    aura = writes(lambda chat: f"You said {chat.messages[-1].text}", first_s=0.1)
    return Line(asr=hears(*texts, pass_s=pass_s), aura=aura, early_answer_ms=early_ms)


async def asks(caller: Caller, seconds: float = 1.12) -> None:
    """Commits in the last word, 0.32 s behind what has been heard of it. The last pass is then under way."""
    await caller.says(seconds)
    caller.session.commit()
    caller.session.respond()


def early(caller: Caller) -> tuple[int, int]:
    ended = caller.all(EarlyAnswersEnded)
    return sum(each.adopted for each in ended), sum(each.discarded for each in ended)


async def test_a_question_committed_in_its_last_word_is_answered_as_soon_as_its_words_are_confirmed() -> None:
    first: dict[int, float] = {}
    for early_ms in (0, 400):
        async with line(HI, early_ms=early_ms).call(LISTENING) as caller:
            began = now()
            await asks(caller)
            committed = now()
            await asyncio.sleep(5)
            first[early_ms] = caller.when(AudioDelta)[0] - committed
            assert caller.heard_text() == "You said Hi."
            assert early(caller) == ((1, 0) if early_ms else (0, 0))
            assert committed - began == pytest.approx(1.12)
    assert first == {0: pytest.approx(PASS_S + 0.1, abs=0.002), 400: pytest.approx(PASS_S, abs=0.002)}


async def test_nothing_is_told_before_the_words_are_confirmed() -> None:
    talk = line(HI)
    async with talk.call(LISTENING) as caller:
        await asks(caller)
        await asyncio.sleep(PASS_S - 0.05)
        assert talk.tts.prompts, "all of the answer is made"
        assert caller.heard_text() == "" and caller.heard_ms() == 0
        assert caller.all(ResponseItemAdded) == []


async def test_words_that_change_are_answered_as_they_are_and_the_early_answer_was_never_there() -> None:
    talk = line(HI, HI_ANN)
    async with talk.call(LISTENING) as caller:
        await asks(caller)
        await asyncio.sleep(5)
        assert caller.heard_text() == "You said Hi Ann."
        assert [chat.messages[-1].text for chat in talk.questions] == [HI, HI_ANN]
        assert caller.session.history.messages() == (
            ChatMessage("user", HI_ANN),
            ChatMessage("assistant", "You said Hi Ann."),
        )
        assert len(caller.all(ResponseItemAdded)) == 1
        assert early(caller) == (0, 1)


async def test_one_early_answer_at_the_most_is_begun_for_a_commit() -> None:
    talk = line("Hi", "Hi there", HI_ANN, pass_s=1.0)
    async with talk.call(LISTENING) as caller:
        await asks(caller)  # the pass at 0.8 s is under way: what it says is answered while the last one runs
        await asyncio.sleep(9)
        assert len(talk.questions) == 2
        assert sum(early(caller)) == 1


@pytest.mark.parametrize(("lacking", "adopted"), [(0.384, 1), (0.416, 0)])
async def test_an_answer_begins_early_only_with_words_that_lack_little_of_what_was_said(
    lacking: float, adopted: int
) -> None:
    async with line(HI, pass_s=0.1).call(LISTENING) as caller:
        await asks(caller, 0.8 + lacking)
        await asyncio.sleep(5)
        assert (early(caller), caller.heard_text()) == ((adopted, 0), "You said Hi.")


async def test_an_answer_begins_early_at_a_pause_whose_pass_is_still_under_way() -> None:
    talk = line(HI, pass_s=0.4)
    async with talk.call(LISTENING) as caller:
        await caller.says(1.12)
        await caller.is_silent(0.352)
        assert (len(talk.questions), len(talk.asr.running)) == (1, 1), "beside the pass"
        await caller.is_silent(0.6)
        caller.session.commit()
        caller.session.respond()
        committed = now()
        await asyncio.sleep(3)
        assert caller.when(AudioDelta)[0] == pytest.approx(committed, abs=0.002)
        assert (len(talk.questions), early(caller)) == (1, (1, 0))


async def test_an_early_answer_is_discarded_when_the_person_goes_on_with_other_words() -> None:
    talk = line(HI, HI, HI_ANN, pass_s=0.4)
    async with talk.call(LISTENING) as caller:
        await caller.says(1.12)
        await caller.is_silent(0.352)
        assert len(talk.questions) == 1
        await asks(caller, 0.512)
        await asyncio.sleep(5)
        assert (caller.heard_text(), early(caller)[1]) == ("You said Hi Ann.", 1)


async def test_an_answer_that_is_cancelled_before_its_words_are_confirmed_ends_and_the_next_one_comes() -> None:
    talk = line(HI)
    with nothing_left():
        async with talk.call(LISTENING) as caller:
            await asks(caller)
            await asyncio.sleep(0.05)
            assert talk.aura.running
            caller.session.cancel()
            await asyncio.sleep(2)
            assert (caller.answer().status, caller.answer().item, talk.aura.running) == ("cancelled", None, [])
            assert (caller.heard_text(), early(caller)) == ("", (0, 1))
            await asks(caller)
            await asyncio.sleep(5)
            assert (caller.answer().status, caller.heard_text()) == ("completed", "You said Hi.")


async def test_somebody_who_goes_on_speaking_over_an_unconfirmed_answer_stops_it() -> None:
    talk = line(HI, HI, HI_ANN)
    detection = TurnDetectionOptions(Endpointing(end_ms=256))
    async with talk.call(replace(LISTENING, detection=detection)) as caller:
        await caller.says(1.12)
        await caller.is_silent(0.288)
        assert caller.all(ResponseCreated) and talk.asr.running, "asked, and not confirmed"
        await caller.says(1.12)
        await caller.is_silent(3)
        assert [done.status for done in caller.all(ResponseDone)] == ["cancelled", "completed"]
        assert caller.heard_text() == "You said Hi Ann."


async def test_a_last_pass_that_fails_takes_the_early_answer_with_it() -> None:
    passes = [0]

    def script(window: AsrInput) -> Iterable[Step[Transcript]]:
        passes[0] += 1
        heard = Transcript(HI, window.audio_end_ms, window.settles)
        yield 0.1, heard if passes[0] == 1 else EngineError("asr", "gone")

    talk = Line(FakeEngine(script), writes("Hello.", first_s=0.02), early_answer_ms=400)
    async with talk.call(LISTENING) as caller:
        await asks(caller)
        await asyncio.sleep(5)
        assert len(talk.questions) == 1
        assert (caller.answer().status, caller.answer().item, caller.heard_text()) == ("failed", None, "")
        assert len(caller.all(TranscriptionFailed)) == 1
        assert early(caller) == (0, 1)
        assert talk.aura.running == []


async def test_nothing_is_begun_early_while_another_answer_is_being_given() -> None:
    def script(chat: ChatPrompt) -> Iterable[Step[TextChunk]]:
        yield 0.0, TextChunk("One.")
        yield 3.0, TextChunk(" Two.")

    talk = Line(hears(HI, pass_s=PASS_S), FakeEngine(script), early_answer_ms=400)
    async with talk.call(LISTENING) as caller:
        caller.session.respond()
        await caller.says(1.12)
        caller.session.commit()
        await asyncio.sleep(0.9)
        assert (len(talk.questions), early(caller)) == (1, (0, 0))


async def test_a_question_about_what_is_seen_is_about_the_same_pictures_before_and_after_its_confirmation() -> None:
    room = Room(heard_s=PASS_S, film_s=0.3, early_answer_ms=400)  # a frame comes while the last pass is under way
    async with room.call(LISTENING) as caller:
        await caller.says(1.12)
        caller.session.commit()
        caller.session.respond()
        await asyncio.sleep(0.05)
        assert len(room.request) == 1, "begun early"
        await asyncio.sleep(3)
        assert len(room.request) == 1, "frames that came meanwhile changed nothing"
        assert (caller.heard_text(), early(caller)) == ("A cup.", (1, 0))
        assert seen(room.request[0])
        assert len(caller.session.history.video_turns) > len(seen(room.request[0])), "they joined after it"


def now() -> float:
    return round(asyncio.get_running_loop().time(), 3)
