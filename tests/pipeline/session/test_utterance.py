"""What a turn is told of its session while somebody speaks, and once a request has adopted what was prepared."""

import asyncio
from dataclasses import FrozenInstanceError

import pytest

from pipeline.session.response_request import ResponseRequest
from pipeline.session.utterance import Utterance
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.turns.turn_context import TurnContext
from pipeline.types.chunks import TurnId
from pipeline.types.history import History, Item
from pipeline.types.hypothesis import Hypothesis
from pipeline.types.turn_request import ResponseOptions, TurnRequest

HELLO = Item("a", "assistant", "Hello.")
LATER = Item("late", "user", "And then?")
HEARD = Hypothesis("Who?", settled=True)
TURN = TurnId("s", 1)


def test_what_is_being_said_stands_at_the_end_until_it_has_an_item() -> None:
    request = TurnContext(History((HELLO,)), ResponseOptions(), "q", "Who?").request
    assert request == TurnRequest(History((HELLO, Item("q", "user", "Who?", "audio"))), ResponseOptions())
    known = History((HELLO, Item("q", "user", "", "audio"), LATER))
    assert TurnContext(known, ResponseOptions(), "q", "Who?").request.history.messages() == (
        *request.history.messages(),
        *History((LATER,)).messages(),
    )


def test_a_context_of_nothing_that_is_said_asks_what_the_history_holds() -> None:
    assert TurnContext(History((HELLO,)), ResponseOptions(), settled=True).request == TurnRequest(
        History((HELLO,)), ResponseOptions()
    )


def test_a_context_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        TurnContext(History(), ResponseOptions()).text = "Else?"  # type: ignore[misc]


async def test_adoption_replaces_the_context_by_that_of_the_request() -> None:
    utterance = Utterance(TURN, "q", StreamingTranscriber(None, None))
    history = History((HELLO, Item("q", "user", "", "audio")))
    before = utterance.context(history, ResponseOptions(voice="old"), HEARD)
    utterance.adopt(ResponseRequest(TURN, "resp", "answer", ResponseOptions(voice="new")))
    history = history.with_item(Item("answer", "assistant", "", reserved=True)).with_item(LATER)
    after = utterance.context(history, ResponseOptions(voice="old"), HEARD)
    assert before == TurnContext(
        History((HELLO, Item("q", "user", "", "audio"))), ResponseOptions(voice="old"), "q", "Who?", True
    )
    assert after == TurnContext(before.history, ResponseOptions(voice="new"), "q", "Who?", True), (
        "what came later is not asked"
    )


async def test_when_the_person_fell_silent_is_known_from_how_long_they_have_been() -> None:
    utterance = Utterance(TURN, "q", StreamingTranscriber(None, None))
    assert utterance.quiet_since is None
    await asyncio.sleep(9)
    utterance.pause(256)
    assert utterance.moments() == {"speech_end": pytest.approx(8.744), "committed": None}
    await asyncio.sleep(1)
    utterance.commit()
    assert utterance.quiet_since == 10.0
