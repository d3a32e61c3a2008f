"""Somebody rings up: the real bridge and agent, with a pipeline that answers with tones."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import astuple
from pathlib import Path

import pytest

from infra.bench.processes import cpu_s, family
from infra.launcher.children import run as run_child
from infra.launcher.errors import CommandFailed
from infra.launcher.ports import LOOPBACK
from pipeline.realtime.client import connect
from tests.e2e.exchange import PLACES, Exchange
from tests.e2e.handset import LINE_RATE, Handset
from tests.e2e.phones import CALLER_ID, Line, Phones
from tests.e2e.sipp import Invite, silent, sipp
from tests.e2e.speech import Ears, Voice
from tests.e2e.stack import ROOT, get
from tests.served import KEY

pytestmark = pytest.mark.anyio

GREETED_S = 20.0
ENDS_S = 20.0
CROWD_S = 90.0  # in which ten agents come to the phone
NUMBER = "+15550100"  # with three digits more for each caller, so that none has too many calls


async def greeted(call: Handset) -> float:
    """When the call was answered; returns when it has been greeted."""
    answered = await call.answered()
    await call.hears(answered, GREETED_S, "the greeting")
    return answered


async def rings_up(exchange: Exchange, number: str) -> None:
    """Returns when they have answered.

    Raises:
        CommandFailed: They have not.
    """
    argv = [sys.executable, "-m", "agent.main", "call", number]
    await run_child("call", argv, cwd=ROOT, env=exchange.environ, log=exchange.layout.logs / "call.log")


async def recorded(exchange: Exchange, before: int) -> dict[str, str]:
    """The record of the one call that has ended since there were so many."""
    async with asyncio.timeout(ENDS_S):
        while len(exchange.records()) <= before:
            await asyncio.sleep(0.05)
    (record,) = exchange.records()[before:]
    return record


async def test_who_calls_is_greeted_and_has_what_was_said_repeated_by_a_key(house: Phones, exchange: Exchange) -> None:
    before = len(exchange.records())
    call = house.call(exchange.line(NUMBER + "101"), exchange.uri)
    answered = await greeted(call)
    greeting = call.heard.loud_s(answered)
    pressed = asyncio.get_running_loop().time()
    call.presses("*")
    await call.hears(pressed, GREETED_S, "the greeting once more")
    assert call.heard.loud_s(pressed) == pytest.approx(greeting, abs=0.3)
    call.hangs_up()
    record = await recorded(exchange, before)
    assert (record["reason"], record["active"], record["turns"]) == ("hung up", "True", "0")
    assert 0 < int(record["greeting_ms"]) < GREETED_S * 1000
    assert await exchange.empty(ENDS_S)


async def test_who_speaks_is_answered_and_the_record_says_how_soon(
    house: Phones, exchange: Exchange, voice: Voice, capsys: pytest.CaptureFixture[str]
) -> None:
    question = voice.say("What is the capital of France?")
    before = len(exchange.records())
    call = house.call(exchange.line(NUMBER + "107"), exchange.uri)
    answered = await greeted(call)
    asked = await call.says(question)
    sounded = await call.hears(asked, GREETED_S, "the answer")
    call.hangs_up()
    record = await recorded(exchange, before)
    assert record["turns"] == "1"
    (latency_ms,) = map(int, record["latencies_ms"].strip("[]").split(","))
    assert 0 < latency_ms < (sounded - asked + 1) * 1000
    with capsys.disabled():
        greeting = call.heard.stretches[0].began - answered
        print(f"\nwithout models: answer → greeting {greeting:.2f} s, end of speech → answer {sounded - asked:.2f} s")


async def test_a_key_ends_the_call_with_a_goodbye(house: Phones, exchange: Exchange) -> None:
    before = len(exchange.records())
    call = house.call(exchange.line(NUMBER + "102"), exchange.uri)
    await greeted(call)
    pressed = asyncio.get_running_loop().time()
    call.presses("#")
    await call.hung_up(ENDS_S)
    assert call.heard.loud_s(pressed) > 0.1  # a word of 300 ms
    assert (await recorded(exchange, before))["reason"] == "ended by key"


async def test_a_key_puts_the_caller_through_to_a_person(house: Phones, exchange: Exchange) -> None:
    before, incoming = len(exchange.records()), len(house.incoming)
    call = house.call(exchange.line(NUMBER + "103"), exchange.uri)
    await greeted(call)
    call.presses("0")
    await call.hung_up(ENDS_S)
    assert len(house.incoming) == incoming + 1
    assert (await recorded(exchange, before))["reason"] == "put through"
    house.incoming[-1].hangs_up()


async def test_who_holds_is_still_there(house: Phones, exchange: Exchange) -> None:
    call = house.call(exchange.line(NUMBER + "104"), exchange.uri)
    await greeted(call)
    call.holds()
    await asyncio.sleep(3)
    call.takes_up_again()
    await asyncio.sleep(0.5)
    pressed = asyncio.get_running_loop().time()
    call.presses("*")
    await call.hears(pressed, GREETED_S, "the greeting once more")
    call.hangs_up()


async def test_who_sends_no_sound_is_hung_up_on(house: Phones, exchange: Exchange) -> None:
    before = len(exchange.records())
    number = NUMBER + "105"
    outcome = await sipp(house.folder, "silent", exchange, exchange.line(number), silent(Invite("100"), number))
    assert (outcome.as_expected, outcome.otherwise) == (1, 0)
    assert 5 < float((await recorded(exchange, before))["seconds"]) < 20


@pytest.mark.parametrize(("password", "status"), [("", 407), ("wrong", 401)])
async def test_who_does_not_know_the_password_is_refused(
    house: Phones, exchange: Exchange, password: str, status: int
) -> None:
    stranger = exchange.line(NUMBER + "106", password) if password else Line(NUMBER + "106")
    call = house.call(stranger, exchange.uri)
    await call.hung_up(ENDS_S)
    assert (call.status, call.answered_at) == (status, None)


async def test_the_agent_rings_somebody_up_and_waits_until_they_have_answered(
    house: Phones, exchange: Exchange
) -> None:
    before = len(exchange.records())
    house.own(Line("15550100800"))
    house.rings_s = 2.0
    await rings_up(exchange, "15550100800")
    call = house.incoming[-1]
    answered = await greeted(call)
    assert call.caller == CALLER_ID
    assert call.heard.stretches[0].began > answered  # nothing into the early media
    call.hangs_up()
    assert (await recorded(exchange, before))["reason"] == "hung up"


async def test_a_call_whose_agent_dies_goes_on_with_another(house: Phones, exchange: Exchange) -> None:
    call = house.call(exchange.line(NUMBER + "108"), exchange.uri)
    await greeted(call)
    (*_, pid) = re.findall(r"call begun .*\bpid=(\d+)", exchange.log("agent"))
    os.kill(int(pid), signal.SIGKILL)
    killed = asyncio.get_running_loop().time()
    await call.hears(killed + 0.5, GREETED_S, "another agent")
    call.presses("#")
    await call.hung_up(ENDS_S)
    assert await exchange.empty(ENDS_S)


async def test_who_is_busy_is_not_rung_up(house: Phones, exchange: Exchange) -> None:
    house.own(Line("15550100800"))
    house.busy = True
    with pytest.raises(CommandFailed, match="not answered"):
        await rings_up(exchange, "15550100800")
    house.busy = False
    assert await exchange.empty(ENDS_S)


async def test_who_finds_all_places_taken_hears_so_and_is_hung_up_on(
    house: Phones, exchange: Exchange, ears: Ears
) -> None:
    assert await exchange.empty(ENDS_S)
    before = len(exchange.records())
    async with AsyncExitStack() as others:
        for _ in range(PLACES):
            await others.enter_async_context(connect(exchange.served.url, KEY))
        call = house.call(exchange.line(NUMBER + "109"), exchange.uri)
        await call.hung_up(ENDS_S)
    heard = await asyncio.to_thread(ears.understand, call.heard.since(0.0), LINE_RATE)
    assert "busy" in heard and "again" in heard
    assert (await recorded(exchange, before))["reason"] == "no place"


async def test_of_ten_calls_at_once_four_are_served_and_the_others_turned_away(
    exchange: Exchange, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await exchange.empty(ENDS_S)
    before, bridge = len(exchange.records()), family(exchange.pids["livekit-sip"])
    used = cpu_s(bridge)
    async with AsyncExitStack() as crowds:
        numbers = [f"{NUMBER}20{n // 2}" for n in range(10)]
        for group in (numbers[:4], numbers[4:8], numbers[8:]):
            await crowds.enter_async_context(crowd(exchange, tmp_path / group[0], group))
        async with asyncio.timeout(CROWD_S):
            while [record["reason"] for record in exchange.records()[before:]].count("no place") < 10 - PLACES:
                await asyncio.sleep(0.1)
        assert await jobs(exchange) == PLACES
    assert await exchange.empty(ENDS_S)
    records = exchange.records()[before:]
    reasons = [record["reason"] for record in records]
    assert (reasons.count("no place"), reasons.count("hung up")) == (10 - PLACES, PLACES)
    share = (cpu_s(bridge) - used) / sum(float(record["seconds"]) for record in records)
    with capsys.disabled():
        print(f"\nthe bridge: {10 * share:.1%} of a core for ten calls")


@asynccontextmanager
async def crowd(exchange: Exchange, folder: Path, numbers: list[str]) -> AsyncGenerator[None]:
    """Callers, who hang up at the end of this context."""
    folder.mkdir()
    argv = [sys.executable, "-m", "tests.e2e.crowd", exchange.uri, *astuple(exchange.line(""))[1:], str(folder)]
    process = await asyncio.create_subprocess_exec(*argv, *numbers, cwd=ROOT, stdin=PIPE, stdout=DEVNULL)
    try:
        yield
        process.stdin.close()  # type: ignore[union-attr]
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def jobs(exchange: Exchange) -> int:
    return int((await get(f"http://{LOOPBACK}:{exchange.ports.agent}/health"))["jobs"])


async def test_no_log_names_a_caller(exchange: Exchange) -> None:
    for part in ("agent", "livekit-server", "livekit-sip", "redis"):
        assert NUMBER.removeprefix("+") not in exchange.log(part), part
