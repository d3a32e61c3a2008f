"""Somebody asks by phone, in G.711, with the real models."""

import asyncio

import pytest

from infra.bench.base.speech import PersonVoice
from infra.bench.person.person import ANSWER_S
from tests.e2e.exchange import need_the_bridge
from tests.e2e.handset import Handset
from tests.e2e.lines import Line
from tests.e2e.phones import House
from tests.e2e.recogniser import Recogniser
from tests.e2e.stack import Stack
from tests.e2e.telephone_wire import LINE_RATE

pytestmark = pytest.mark.anyio

NUMBER = "15550102"  # with three digits more
COUNT = "Please count to forty."
SPOKEN_S = 3.0  # of the count, before somebody speaks over it
STOP_S = 10.0  # bounds a wait; the count goes on for longer


async def ring_up(house: House, stack: Stack, number: str) -> tuple[Handset, float]:
    """A call that has been greeted, and when it was answered."""
    need_the_bridge(stack.layout.home)
    await stack.empty()
    line = Line(number, stack.keys["AURA_SIP_USER"], stack.keys["AURA_SIP_PASSWORD"])
    call = await house.call(line, stack.keys["AURA_SIP_URI"])
    answered = await call.answered()
    await call.hears(answered, ANSWER_S, "the greeting")
    return call, answered


async def test_a_question_by_phone_is_answered_with_the_right_fact(
    house: House, stack: Stack, voice: PersonVoice, ears: Recogniser, capsys: pytest.CaptureFixture[str]
) -> None:
    call, answered = await ring_up(house, stack, f"+{NUMBER}100")
    asked = await call.says(voice.say("What is the capital of France?"))
    sounded = await call.hears(asked, ANSWER_S, "the answer")
    call.hangs_up()
    said = await asyncio.to_thread(ears.understand, call.heard.since(asked), LINE_RATE)
    assert "Paris" in said
    for part in ("agent", "pipeline", "livekit-sip", "livekit-server"):
        assert not any(secret in stack.log(part) for secret in (NUMBER, "Paris", "capital of France")), part
    with capsys.disabled():
        greeting = call.heard.stretches[0].began - answered
        print(f"\nanswer → greeting {greeting:.2f} s, end of speech → first sound {sounded - asked:.2f} s")


async def test_a_question_over_the_answer_stops_it(
    house: House, stack: Stack, voice: PersonVoice, ears: Recogniser
) -> None:
    call, _ = await ring_up(house, stack, f"+{NUMBER}101")
    asked = await call.says(voice.say(COUNT))
    await call.hears_for(SPOKEN_S, asked, ANSWER_S, "some of the count")
    over = await call.says(voice.say("Wait a moment. What is the capital of Italy?"))
    await call.hears_nothing(STOP_S)
    silent = asyncio.get_running_loop().time()
    await call.hears(max(silent, over), ANSWER_S, "the answer")
    call.hangs_up()
    said = await asyncio.to_thread(ears.understand, call.heard.since(silent), LINE_RATE)
    assert "Rome" in said
