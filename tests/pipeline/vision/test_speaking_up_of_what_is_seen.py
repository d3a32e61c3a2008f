"""What small models see may be worth a remark: it is offered in a call, on virtual time, and never over somebody."""

import asyncio
from dataclasses import replace

import pytest

from pipeline.types.events.input_events import OfferMade, PictureRecognised
from pipeline.types.observation import Observation, SeenThing
from pipeline.types.session_options import SessionOptions
from pipeline.vision.noticing import PHRASES, SOMEBODY, THING
from tests.eyes import Eyes
from tests.room import SERVER_VAD
from tests.scenario import Caller

EMPTY, PERSON = Observation(), Observation((SeenThing("person"),))
WITH_CUP = Observation((SeenThing("person"), SeenThing("cup", is_certain=True)))
OFFERS = replace(SERVER_VAD, proactive="offer")
HELLO, A_CUP = PHRASES[SOMEBODY][0], PHRASES[THING][0].format("a cup")


def watching(*scenes: tuple[float, Observation]) -> Eyes:
    """Eyes that see one scene after the other, each for so many seconds of the camera; the last stays."""

    def shows(name: str) -> Observation:
        at_s, over_s = int(name.rpartition(".")[2].split("-")[0]) / 2, 0.0
        for seconds, seen in scenes:
            over_s += seconds
            if at_s < over_s:
                return seen
        return scenes[-1][1]

    return Eyes(shows)


async def films(caller: Caller, seconds: float) -> None:
    """Two frames a second into a silent call, so long."""
    assert caller.session.vision
    for _ in range(round(2 * seconds)):
        caller.session.vision.watching.see(b"frame")
        await caller.is_silent(0.5)


def offers(caller: Caller) -> list[str]:
    return [offer.text for offer in caller.all(OfferMade)]


async def test_a_person_then_a_thing_then_nothing_for_a_minute_are_two_offers() -> None:
    eyes = watching((8, EMPTY), (12, PERSON), (8, WITH_CUP), (60, PERSON))
    async with eyes.call(OFFERS) as caller:
        await films(caller, 88)
    assert offers(caller) == [HELLO, A_CUP]
    assert all(not prompt.max_tokens for prompt in eyes.writer.prompts), "no model is asked"


async def test_an_offer_that_is_accepted_is_spoken_as_it_is() -> None:
    async with watching((8, EMPTY), (12, PERSON)).call(OFFERS) as caller:
        await films(caller, 12)
        (offer,) = caller.all(OfferMade)
        caller.session.respond(metadata={"offer_id": offer.offer_id})
        await asyncio.sleep(3)
        assert caller.heard_text() == HELLO


async def test_whoever_asked_for_no_offers_hears_it_at_once() -> None:
    async with watching((8, EMPTY), (12, PERSON)).call(replace(SERVER_VAD, proactive="speak")) as caller:
        await films(caller, 14)
        assert offers(caller) == []
        assert caller.heard_text() == HELLO


@pytest.mark.parametrize("options", [replace(SERVER_VAD, proactive="off"), SessionOptions()])
async def test_nothing_is_offered_to_whoever_does_not_want_it(options: SessionOptions) -> None:
    async with watching((8, EMPTY), (12, PERSON)).call(options) as caller:
        await films(caller, 20)
        assert offers(caller) == []
        assert caller.heard_ms() == 0


async def test_who_comes_while_somebody_speaks_is_not_remarked_on_then_or_later() -> None:
    async with watching((8, EMPTY), (12, PERSON)).call(OFFERS) as caller, asyncio.TaskGroup() as tasks:
        await films(caller, 7)
        speaking = tasks.create_task(caller.says(8))
        assert caller.session.vision
        for _ in range(16):
            caller.session.vision.watching.see(b"frame")
            await asyncio.sleep(0.5)
        await speaking
        await films(caller, 20)
        assert offers(caller) == []


async def test_what_is_seen_is_told_to_whoever_asked_and_to_nobody_else() -> None:
    for asked in (True, False):
        async with watching((3, EMPTY), (3, PERSON)).call(replace(SERVER_VAD, observations=asked)) as caller:
            await films(caller, 6)
            told = [event.observation for event in caller.all(PictureRecognised)]
        assert told == ([EMPTY] * 4 + [PERSON] * 2 if asked else []), "a person is told of when seen again"
