"""What no telephone would send: each is answered as it should be, and the next call works."""

import pytest

from tests.e2e.exchange import Exchange
from tests.e2e.phones import House
from tests.e2e.sipp import (
    Invite,
    Outcome,
    answered_at_once,
    never_answered,
    refused,
    refused_or_taken,
    sipp,
    unanswered,
)

pytestmark = pytest.mark.anyio

NUMBER = "+15550101"
ONE = Outcome(as_expected=1, otherwise=0, taken=0)

# In the spirit of RFC 4475, chapters 3.1.2 and 3.3.
MALFORMED = {
    "without a tag in From": (Invite("100", instead=(("From", "<sip:x@[local_ip]>"),)), 400),
    "without From": (Invite("100", without=("From",)), 400),
    "an unknown method": (Invite("100", method="NEWMETHOD"), 405),
    "a long header": (Invite("100", instead=(("Subject", "x" * 4_000),)), 407),
}
UNREADABLE = {
    "a negative length": Invite("100", instead=(("Content-Length", "-999"),)),
    "a huge sequence number": Invite("100", instead=(("CSeq", "36893488147419103232 INVITE"),)),
    "no number of hops": Invite("100", instead=(("Max-Forwards", "0xff"),)),
}


async def next_call_works(house: House, exchange: Exchange, number: str) -> None:
    call = await house.call(exchange.line(number), exchange.uri)
    await call.hears(await call.answered(), 20, "the greeting")
    call.hangs_up()


async def test_a_number_that_is_not_listed_is_busy(house: House, exchange: Exchange) -> None:
    number = NUMBER + "100"
    line, scenario = exchange.line(number), refused(Invite("999"), number, 486)
    assert await sipp(house.folder, "unlisted", exchange, line, scenario) == ONE
    outcome = await sipp(house.folder, "unlisted-crowd", exchange, line, scenario, calls=10, per_s=20)
    assert outcome == Outcome(as_expected=10, otherwise=0, taken=0)
    nameless = refused(Invite("9" * 300), number, 486)  # no room can have such a name, which the bridge complains of
    assert await sipp(house.folder, "nameless", exchange, line, nameless) == ONE
    assert exchange.tell_tales(f"_{number[-4:]}_", number.removeprefix("+")) == []
    await next_call_works(house, exchange, number)


async def test_a_call_from_an_address_that_is_not_allowed_is_never_answered(house: House, exchange: Exchange) -> None:
    number = NUMBER + "104"
    scenario = never_answered(Invite("100"), number)
    outcome = await sipp(house.folder, "elsewhere", exchange, exchange.line(number), scenario, host="127.0.0.2")
    assert outcome == ONE


async def test_malformed_requests_are_refused_or_dropped(house: House, exchange: Exchange) -> None:
    number = NUMBER + "101"
    line = exchange.line(number)
    for name, (invite, status) in MALFORMED.items():
        scenario = answered_at_once(invite, number, status)
        assert await sipp(house.folder, name.replace(" ", "-"), exchange, line, scenario) == ONE, name
    for name, invite in UNREADABLE.items():
        assert await sipp(house.folder, name.replace(" ", "-"), exchange, line, unanswered(invite, number)) == ONE, name
    nothing = refused(Invite("100", sdp="v=0\no=nothing\nm=flowers"), number, 400)
    assert await sipp(house.folder, "no-media", exchange, line, nothing) == ONE
    await next_call_works(house, exchange, number)


async def test_of_a_flood_two_calls_are_taken_and_the_next_caller_is_served(house: House, exchange: Exchange) -> None:
    number = NUMBER + "102"
    scenario = refused_or_taken(Invite("100"), number, 486)
    outcome = await sipp(house.folder, "flood", exchange, exchange.line(number), scenario, calls=40, per_s=10)
    assert outcome == Outcome(as_expected=40, otherwise=0, taken=2)
    await next_call_works(house, exchange, NUMBER + "103")
