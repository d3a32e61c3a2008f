"""Somebody rings up and talks: the real bridge and agent, with a pipeline that answers with tones."""

import asyncio
import os
import re
import signal

import pytest

from agent.persona.persona import ON_THE_PHONE
from agent.phone.telephone import NOBODY
from infra.bench.base.speech import PersonVoice
from tests.e2e.exchange import Exchange
from tests.e2e.handset import Handset
from tests.e2e.lines import Line, Manners
from tests.e2e.phones import House

pytestmark = pytest.mark.anyio

SOON_S = 30.0
NUMBER = "+15550100"  # with three digits more for each caller, so that none has too many calls


async def greeted(call: Handset) -> float:
    """When the call was answered; returns when it has been greeted."""
    answered = await call.answered()
    await call.hears(answered, SOON_S, "the greeting")
    return answered


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_who_calls_is_greeted_and_has_what_was_said_repeated_by_a_key(house: House, exchange: Exchange) -> None:
    before = len(exchange.records())
    call = await house.call(exchange.line(NUMBER + "101"), exchange.uri)
    answered = await greeted(call)
    greeting = call.heard.loud_s(answered)
    pressed = now()
    call.presses("*")
    await call.hears(pressed, SOON_S, "the greeting once more")
    assert call.heard.loud_s(pressed) == pytest.approx(greeting, abs=0.3)
    call.hangs_up()
    record = await exchange.recorded(before, SOON_S)
    assert (record["reason"], record["active"], record["turns"]) == ("hung up", "True", "0")
    assert 0 < int(record["greeting_ms"]) < SOON_S * 1000


async def test_who_speaks_is_answered_and_the_record_says_how_soon(
    house: House, exchange: Exchange, voice: PersonVoice, capsys: pytest.CaptureFixture[str]
) -> None:
    question = voice.say("What is the capital of France?")
    before = len(exchange.records())
    call = await house.call(exchange.line(NUMBER + "107"), exchange.uri)
    answered = await greeted(call)
    asked = await call.says(question)
    sounded = await call.hears(asked, SOON_S, "the answer")
    call.hangs_up()
    assert exchange.served.line.questions[-1].messages[0].text == ON_THE_PHONE.greeting  # it is told to be short, too
    record = await exchange.recorded(before, SOON_S)
    assert record["turns"] == "1"
    assert exchange.tell_tales(NUMBER.removeprefix("+"), "capital") == []
    (latency_ms,) = map(int, record["latencies_ms"].strip("[]").split(","))
    assert 0 < latency_ms < (sounded - asked + 1) * 1000
    with capsys.disabled():
        greeting = call.heard.stretches[0].began - answered
        print(f"\nwithout models: answer → greeting {greeting:.2f} s, end of speech → answer {sounded - asked:.2f} s")


async def test_a_key_ends_the_call_with_a_goodbye(house: House, exchange: Exchange) -> None:
    before = len(exchange.records())
    call = await house.call(exchange.line(NUMBER + "102"), exchange.uri)
    await greeted(call)
    pressed = now()
    call.presses("#")
    await call.hung_up(SOON_S)
    assert call.heard.loud_s(pressed) > 0.1  # a word of 300 ms
    assert (await exchange.recorded(before, SOON_S))["reason"] == "ended by key"


async def test_a_key_puts_the_caller_through_to_a_person(house: House, exchange: Exchange, operator: Line) -> None:
    before = len(exchange.records())
    person = await house.telephone(operator)
    call = await house.call(exchange.line(NUMBER + "103"), exchange.uri)
    await greeted(call)
    call.presses("0")
    await call.hung_up(SOON_S)
    await person.answered()
    assert person.caller == NUMBER + "103"
    assert (await exchange.recorded(before, SOON_S))["reason"] == "put through"


async def test_where_the_person_is_busy_the_caller_hears_so_and_the_call_goes_on(
    house: House, exchange: Exchange, operator: Line
) -> None:
    before = len(exchange.records())
    person = await house.telephone(operator, Manners(status=486))
    call = await house.call(exchange.line(NUMBER + "110"), exchange.uri)
    await greeted(call)
    call.presses("0")
    await person.hung_up(SOON_S)
    spoken = exchange.served.line.tts.prompts
    await exchange.until(lambda: spoken[-1].text == NOBODY, SOON_S, "a word about it")
    await call.hears(now(), SOON_S, "that nobody can be reached")
    call.presses("#")
    await call.hung_up(SOON_S)
    assert (await exchange.recorded(before, SOON_S))["reason"] == "ended by key"


async def test_who_holds_is_still_there(house: House, exchange: Exchange) -> None:
    call = await house.call(exchange.line(NUMBER + "104"), exchange.uri)
    await greeted(call)
    call.holds()
    await asyncio.sleep(3)
    call.takes_up_again()
    await asyncio.sleep(1)
    pressed = now()
    call.presses("*")
    await call.hears(pressed, SOON_S, "the greeting once more")


async def test_a_call_whose_agent_dies_goes_on_with_another(house: House, exchange: Exchange) -> None:
    call = await house.call(exchange.line(NUMBER + "108"), exchange.uri)
    await greeted(call)
    (*_, pid) = re.findall(r"call begun .*\bpid=(\d+)", exchange.log("agent"))
    os.kill(int(pid), signal.SIGKILL)
    killed = now()
    await call.hears(killed + 0.5, SOON_S, "another agent")
    call.presses("#")
    await call.hung_up(SOON_S)
