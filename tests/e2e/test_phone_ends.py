"""The calls that end otherwise than by a goodbye, and those that never begin."""

import numpy as np
import pytest

from agent.records.ogg_file import RATE
from infra.bench.base.speech import RATE as SPOKEN_RATE
from infra.bench.base.speech import Sound
from tests.e2e.exchange import SILENCE_S, Exchange, another_agent
from tests.e2e.lines import Line
from tests.e2e.phones import House
from tests.e2e.recorded import ALIKE, QUIET, channels, ended, found, loudest_outside, outline
from tests.e2e.sipp import Invite, silent, sipp
from tests.e2e.telephone_wire import LINE_RATE
from tests.e2e.test_phone import SOON_S, greeted

pytestmark = pytest.mark.anyio

NUMBER = "+15550101"
LONGEST_S = 10
APART_S = 0.6  # by which the channels of a record may differ: a way through the network, and back
CUT_OFF_S = 25.0  # less than the 32 s in which a BYE may be answered (RFC 3261, timer F)


def bursts() -> Sound:
    """A sound that is like no other: noise, three times."""
    noise = np.random.default_rng(7).normal(0, 6_000, round(2.2 * SPOKEN_RATE)).clip(-32_000, 32_000).astype(np.int16)
    for pause_from, pause_until in ((0.3, 0.5), (1.2, 1.6)):
        noise[round(pause_from * SPOKEN_RATE) : round(pause_until * SPOKEN_RATE)] = 0
    return noise


async def test_who_sends_no_sound_is_hung_up_on(house: House, exchange: Exchange) -> None:
    before = len(exchange.records())
    number = NUMBER + "105"
    outcome = await sipp(house.folder, "silent", exchange, exchange.line(number), silent(Invite("100"), number))
    assert (outcome.as_expected, outcome.otherwise) == (1, 0)
    assert float((await exchange.recorded(before, SOON_S))["seconds"]) > 5


async def test_who_is_cut_off_is_not_waited_for(house: House, exchange: Exchange) -> None:
    before = len(exchange.records())
    call = await house.call(exchange.line(NUMBER + "106"), exchange.uri)
    await greeted(call)
    call.loses_power()
    record = await exchange.recorded(before, SILENCE_S + SOON_S)
    assert record["reason"] == "hung up"
    assert float(record["seconds"]) < SILENCE_S + CUT_OFF_S


async def test_who_hangs_up_may_call_again_at_once(house: House, exchange: Exchange) -> None:
    for _ in range(3):
        call = await house.call(exchange.line(NUMBER + "110"), exchange.uri)
        await greeted(call)
        call.hangs_up()
        await call.hung_up(SOON_S)


async def test_who_gives_up_while_it_rings_leaves_nothing(house: House, exchange: Exchange) -> None:
    before = len(exchange.records()) + exchange.refused
    call = await house.call(exchange.line(NUMBER + "107"), exchange.uri)
    await call.rings(SOON_S)
    call.hangs_up()
    await call.hung_up(SOON_S)
    assert call.answered_at is None
    await exchange.until(lambda: len(exchange.records()) + exchange.refused > before, SOON_S, "the end of the call")


async def test_a_call_that_is_too_long_ends_with_a_goodbye_is_recorded_and_the_next_within_the_minute_is_refused(
    house: House, exchange: Exchange
) -> None:
    records = house.folder / "records"
    limits = {"AURA_SIP_LONGEST_S": str(LONGEST_S), "AURA_SIP_CALLS_PER_MINUTE": "1", "AURA_RECORDS": str(records)}
    before = len(exchange.records())
    async with another_agent(exchange, "101", **limits) as uri:
        call = await house.call(exchange.line(NUMBER + "108"), uri)
        answered = await greeted(call)
        spoken = bursts()
        spoke_at = await call.says(spoken) - len(spoken) / SPOKEN_RATE
        await call.hung_up(LONGEST_S + SOON_S)
        assert call.heard.loud_s(answered + LONGEST_S - 1) > 0.1
        ending = await exchange.recorded(before, SOON_S)
        assert ending["reason"] == "too long"
        again = await house.call(exchange.line(NUMBER + "108"), uri)
        await again.hung_up(SOON_S)
        assert (again.status, again.answered_at) == (486, None)
    record, told = await ended(records, ending["room"])
    person, heard = channels(record)
    assert told.kind == "phone" and told.sound and told.sound.lost == 0 and len(told.people) == 1
    assert person.size == heard.size == told.sound.samples
    assert told.ms and abs(told.ms - 1_000 * person.size / RATE) < 1_500
    spoken_from, alike = found(outline(person, RATE), outline(spoken, SPOKEN_RATE))
    assert alike > ALIKE, "what the phone sent"
    heard_from, alike = found(outline(heard, RATE), outline(call.heard.since(answered), LINE_RATE))
    assert alike > ALIKE, "what the phone heard"
    assert abs((spoken_from - heard_from) - (spoke_at - answered)) < APART_S, "both lie on one clock"
    assert loudest_outside(told, heard) < QUIET, "outside its marks the agent is silent"


@pytest.mark.parametrize(("password", "status"), [("", 407), ("wrong", 401)])
async def test_who_does_not_know_the_password_is_refused(
    house: House, exchange: Exchange, password: str, status: int
) -> None:
    stranger = exchange.line(NUMBER + "109", password) if password else Line(NUMBER + "109")
    call = await house.call(stranger, exchange.uri)
    await call.hung_up(SOON_S)
    assert (call.status, call.answered_at) == (status, None)
