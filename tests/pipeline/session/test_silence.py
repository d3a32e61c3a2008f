"""Why an answer is silence, and when what was said had been made out."""

import pytest

from pipeline.engines.fake import FakeEngine, hears, speaks, writes
from pipeline.types.chunks import AudioChunk, Clause
from pipeline.types.events.response_events import Silence
from pipeline.types.turn_request import ResponseOptions
from tests.scenario import Caller, Line

pytestmark = pytest.mark.anyio


async def asks_aloud(caller: Caller) -> None:
    await caller.says(0.96)
    await caller.is_silent(0.544)
    caller.session.commit()
    caller.session.respond()
    await caller.is_silent(3.2)


def mute() -> FakeEngine[Clause, AudioChunk]:
    return FakeEngine(lambda clause: [])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (Line(aura=writes("", first_s=0.1)), "model"),
        (Line(asr=hears("")), "no_words"),
        (Line(aura=writes("(smiles)"), tts=mute()), "unspoken"),
        (Line(), None),
    ],
)
async def test_silence_says_why(line: Line, reason: Silence | None) -> None:
    async with line.call() as caller:
        await asks_aloud(caller)
        assert (caller.answer().status, caller.answer().silence) == ("completed", reason)


async def test_an_empty_text_to_say_is_no_choice_of_the_models() -> None:
    async with Line().call() as caller:
        caller.session.respond(ResponseOptions(say=""))
        await caller.is_silent(0.32)
        assert caller.answer().silence == "no_words"


async def test_an_answer_that_was_stopped_before_its_first_word_has_chosen_nothing() -> None:
    async with Line(aura=writes("Paris.", first_s=9.0)).call() as caller:
        await asks_aloud(caller)
        caller.session.cancel()
        assert (caller.answer().status, caller.answer().silence) == ("cancelled", None)


async def test_it_is_told_when_all_that_was_said_was_made_out_though_that_was_after_the_request() -> None:
    async with Line(asr=hears("What is the capital of France?", pass_s=1.0), tts=speaks()).call() as caller:
        await asks_aloud(caller)
        timings = caller.answer().timings
    assert timings["created"] == timings["committed"] == 1.504
    assert timings["heard"] == timings["aura_began"] > 1.504


async def test_what_is_written_is_not_made_out() -> None:
    async with Line().call() as caller:
        caller.session.respond()
        await caller.is_silent(3.2)
        assert "heard" not in caller.answer().timings
