"""More calls than there are places."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from infra.bench.base.footprint import cpu_s
from infra.bench.base.process_tree import family
from pipeline.realtime.client import connect
from tests.e2e.exchange import PLACES, Exchange
from tests.e2e.phones import House
from tests.e2e.recogniser import Recogniser
from tests.e2e.telephone_wire import LINE_RATE
from tests.e2e.test_phone import SOON_S, greeted
from tests.served import KEY

pytestmark = pytest.mark.anyio

CALLS = 10
CROWD_S = 120.0  # in which ten agents come to the phone
NUMBER = "+15550102"


async def test_who_finds_all_places_taken_hears_so_and_is_hung_up_on(
    house: House, exchange: Exchange, ears: Recogniser
) -> None:
    before = len(exchange.records())
    async with AsyncExitStack() as others:
        for _ in range(PLACES):
            await others.enter_async_context(connect(exchange.served.url, KEY))
        call = await house.call(exchange.line(NUMBER + "109"), exchange.uri)
        await call.hung_up(CROWD_S)
    heard = await asyncio.to_thread(ears.understand, call.heard.since(0.0), LINE_RATE)
    assert "busy" in heard and "again" in heard
    assert (await exchange.recorded(before, SOON_S))["reason"] == "no place"


async def test_of_ten_calls_at_once_four_are_served_and_the_others_turned_away(
    house: House, exchange: Exchange, capsys: pytest.CaptureFixture[str]
) -> None:
    before, bridge = len(exchange.records()), [each.pid for each in family(exchange.pids["livekit-sip"])]
    used = cpu_s(bridge)
    lines = [exchange.line(f"{NUMBER}20{n // 2}") for n in range(CALLS)]
    calls = await house.calls(lines, exchange.uri)
    async with asyncio.TaskGroup() as callers:
        for call in calls:
            callers.create_task(call.answered(), name="caller")
    async with asyncio.timeout(CROWD_S):
        while sum(call.over for call in calls) < CALLS - PLACES:
            await asyncio.sleep(0.1)
    await exchange.served_now(PLACES, SOON_S)
    assert sum(call.over for call in calls) == CALLS - PLACES
    house.hang_up()
    await exchange.empty(SOON_S)
    await greeted(await house.call(exchange.line(f"{NUMBER}209"), exchange.uri))  # who comes then is served again
    house.hang_up()
    await exchange.empty(SOON_S)
    records = exchange.records()[before : before + CALLS]
    reasons = [record["reason"] for record in records]
    assert (reasons.count("no place"), reasons.count("hung up")) == (CALLS - PLACES, PLACES)
    share = (cpu_s(bridge) - used) / sum(float(record["seconds"]) for record in records)
    with capsys.disabled():
        print(f"\nthe bridge: {CALLS * share:.1%} of a core for {CALLS} calls")
