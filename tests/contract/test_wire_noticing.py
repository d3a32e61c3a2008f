"""A call on the real wire, with a camera, in real time: what comes into the picture is remarked on once."""

import asyncio

import pytest

from pipeline.types.observation import Observation, SeenThing
from pipeline.vision.noticing import PHRASES, SOMEBODY, THING
from tests.contract.test_wire_speaking_up import WORD_S, Filmed, filmed
from tests.contract.wire_eyes import Recognising
from tests.contract.wire_wait import eventually

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

PERSON, CAT = SeenThing("person"), SeenThing("cat", is_certain=True)
HELLO, A_CAT = PHRASES[SOMEBODY][0], PHRASES[THING][0].format("a cat")
FIRST_SCENE_S = 7.0
ONE_EVENT_S = 7.0


def remarks(room: Filmed) -> list[str]:
    return [decision["text"] for decision in room.decisions("spoke_up")]


async def test_somebody_who_comes_and_what_they_hold_up_are_two_remarks_in_a_composed_clip() -> None:
    line = Recognising()
    async with filmed(line) as room:
        await asyncio.sleep(FIRST_SCENE_S)
        line.seen = Observation((PERSON,))
        await eventually(lambda: remarks(room) == [HELLO])
        await asyncio.sleep(ONE_EVENT_S)
        line.seen = Observation((PERSON, CAT))
        await eventually(lambda: remarks(room) == [HELLO, A_CAT])
        line.seen = Observation((PERSON,))
        await asyncio.sleep(5)
        assert remarks(room) == [HELLO, A_CAT]
        assert room.heard_s == pytest.approx(WORD_S * len(f"{HELLO} {A_CAT}".split()), abs=0.3)


async def test_who_has_turned_it_off_hears_no_remark() -> None:
    line = Recognising()
    async with filmed(line) as room:
        room.call.character.speak_up(False)
        await asyncio.sleep(FIRST_SCENE_S)
        line.seen = Observation((PERSON, CAT))
        await asyncio.sleep(6)
        assert (remarks(room), room.decisions("offer_dropped"), room.heard_s) == ([], [], 0.0)
