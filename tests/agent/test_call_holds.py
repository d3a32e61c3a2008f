"""An answer that a sound has paused: when it goes on, and what follows from how loud and how long the sound was."""

import asyncio

import numpy as np
import pytest

from agent.console.audio import WavLoudspeaker
from agent.turns.endpointing import TURNS
from agent.turns.turn_events import PartialHeard
from tests.agent.fake_pipeline import FakePipeline, Hears, Says
from tests.agent.test_call import Room, calling

pytestmark = pytest.mark.anyio

COUNT = Says((("One, two, three.", 60.0),))
TURN = TURNS["console"]


async def counts(room: Room) -> WavLoudspeaker:
    """Ask for an answer, and return the loudspeaker on which it is heard."""
    room.call.session.generate_reply(user_input="Please count.")
    await asyncio.sleep(3)
    loudspeaker = room.call.session.output.audio
    assert isinstance(loudspeaker, WavLoudspeaker)
    return loudspeaker


async def is_heard(loudspeaker: WavLoudspeaker) -> bool:
    before = len(loudspeaker.recording)
    await asyncio.sleep(0.1)
    return any(loudspeaker.recording[before:])


def tone(room: Room, level: int, seconds: float = 1.0) -> None:
    """What the microphone gives meanwhile."""
    for _ in range(round(seconds / 0.02)):
        room.call.spoken.near.hears(np.full(480, level, np.int16))


async def test_an_answer_goes_on_soon_after_a_sound_of_which_nothing_is_known() -> None:
    async with calling(FakePipeline(says=[COUNT])) as room:
        loudspeaker = await counts(room)
        loudspeaker.pause()
        await room.sound()
        await asyncio.sleep(TURN.go_on_s - 0.2)
        assert not await is_heard(loudspeaker)
        await asyncio.sleep(0.2)
        assert await is_heard(loudspeaker)


async def test_an_answer_does_not_go_on_while_words_may_come() -> None:
    async with calling(FakePipeline(says=[COUNT])) as room:
        loudspeaker = await counts(room)
        loudspeaker.pause()
        room.state("listening", "speaking")
        room.call.on_partial(PartialHeard("item_9", "what about", "speech", 900, settled=False))
        room.state("speaking", "listening")
        await asyncio.sleep(TURN.go_on_s + 0.2)
        assert not await is_heard(loudspeaker)


async def test_a_short_sound_that_does_not_ask_to_stop_says_so() -> None:
    async with calling(FakePipeline(hears=[Hears("It's hard.")], says=[COUNT])) as room:
        await counts(room)
        room.state("listening", "speaking")
        await asyncio.sleep(0.3 + TURN.silence_s)
        room.state("speaking", "listening")
        await asyncio.sleep(1)
        told = [(decision["what"], decision["reason"]) for decision in room.of("aura.decision")]
        assert told == [("noise", "short"), ("resumed", "short")]


async def test_a_sound_much_quieter_than_the_persons_turns_is_an_aside() -> None:
    async with calling(FakePipeline(says=[COUNT])) as room:
        room.state("listening", "speaking")
        tone(room, 3_000)
        room.state("speaking", "listening")
        room.call.spoken.turn()
        room.call.on_committed()
        await counts(room)
        tone(room, 10)
        room.state("listening", "speaking")
        tone(room, 900)
        await asyncio.sleep(1)
        room.state("speaking", "listening")
        room.call.on_partial(PartialHeard("item_9", "close the door", "speech", 1_500, settled=True))
        await asyncio.sleep(1)
        told = [(decision["what"], decision["reason"]) for decision in room.of("aura.decision")]
        assert told[1:] == [("noise", "aside"), ("resumed", "aside")]
