"""Answers to turns that are taken while their sound goes on: nothing in it stops them, what is said after it does."""

import asyncio

import pytest

from agent.console.audio import WavLoudspeaker
from agent.turns.turn_events import PartialHeard
from tests.agent.fake_pipeline import FakePipeline, Says
from tests.agent.test_call import Room, calling

pytestmark = pytest.mark.anyio

COUNT = Says((("One, two, three.", 60.0),))


async def is_heard(room: Room) -> bool:
    loudspeaker = room.call.session.output.audio
    assert isinstance(loudspeaker, WavLoudspeaker)
    before = len(loudspeaker.recording)
    await asyncio.sleep(0.1)
    return any(loudspeaker.recording[before:])


def is_taken(room: Room, item_id: str) -> None:
    """A turn, in the middle of a sound that is very long."""
    room.call.on_partial(PartialHeard(item_id, f"the news {item_id}", "speech", 30_500, settled=False))


@pytest.mark.parametrize("turns", [1, 2])
async def test_what_is_said_after_a_sound_stops_the_answers_that_were_begun_over_it(turns: int) -> None:
    async with calling(FakePipeline(says=[COUNT, COUNT])) as room:
        room.state("listening", "speaking")
        for number in range(turns):
            is_taken(room, f"item_10{number}")
            await asyncio.sleep(3)
        assert await is_heard(room), "the sound goes on, and does not stop it"
        room.state("speaking", "listening")
        await asyncio.sleep(1)
        room.state("listening", "speaking")
        room.state("speaking", "listening")
        room.call.on_partial(PartialHeard("item_109", "Stop!", "speech", 31_500, settled=True))
        await asyncio.sleep(1)
        assert room.call.session.current_speech is None and not await is_heard(room)
