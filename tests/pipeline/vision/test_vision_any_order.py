"""Whatever a camera shows while people speak: what eyes promise always holds."""

import asyncio
import random

import pytest

from pipeline.errors import EngineError
from pipeline.session.session import Session
from pipeline.types.chunks import MultimodalPrompt, TextChunk
from pipeline.types.events.response_events import ResponseDone
from pipeline.types.history import Item
from pipeline.types.session_options import SessionOptions
from tests.pipeline.session.test_session_any_order import Chance
from tests.room import QUESTION, Room, asks, frames, nth, only_words_are_left, seen, spelt
from tests.scenario import Caller


class SlowCuts(Room):
    """What a cut leaves is long, and takes longer to read than a second."""

    def _script(self, scene: MultimodalPrompt) -> list[tuple[float, TextChunk | EngineError]]:
        steps = super()._script(scene)
        before = self.aura.prompts[-2] if len(self.aura.prompts) > 1 else scene
        return steps if seen(scene)[:1] == seen(before)[:1] or scene.max_tokens else [(0.6, TextChunk(""))]


@pytest.mark.parametrize("read_s", [0.05, 0.3, 0.7, 1.2])
async def test_an_answer_that_is_being_made_is_not_disturbed(read_s: float) -> None:
    room = Room(read_s=read_s)
    async with room.call(SessionOptions()) as caller:
        for turn in range(1, 12):
            await caller.says(1.1 + turn / 9)
            caller.session.activity(False)
            await asyncio.sleep(1.5)
            await asks(caller, 0)
            assert len(room.request) == turn


@pytest.mark.parametrize("seed", range(12))
async def test_whoever_speaks_when_no_frame_is_lost_and_only_words_are_left_to_read(seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice((Room, SlowCuts))
    room = kind(read_s=chance.choice((0.02, 0.05, 0.1)), heard_s=chance.choice((0.0, 0.1, 0.3)))
    async with room.call(SessionOptions(), films=False) as caller, asyncio.TaskGroup() as tasks:
        camera = tasks.create_task(unsteady(caller, chance))
        for _ in range(12):
            await asyncio.sleep(chance.uniform(0, 3))
            await caller.says(chance.uniform(0.7, 6))
            if chance.random() < 0.5:
                await caller.is_silent(chance.uniform(0.1, 2))
            caller.session.commit()
            caller.session.respond()
            await asyncio.sleep(chance.uniform(0, 3))
        camera.cancel()
        await asyncio.sleep(5)
        shown = frames(each.clip.id for each in caller.session.history.video_turns)
    assert len(caller.all(ResponseDone)) == 12
    assert shown == list(range(shown[0], shown[-1] + 1)), "each once, in order"
    for request in room.request:
        before = [scene for scene in room.aura.prompts[: room.aura.prompts.index(request)] if not scene.max_tokens]
        assert not seen(request) or only_words_are_left(request, before)
        assert QUESTION in spelt(request)


@pytest.mark.parametrize("seed", range(8))
async def test_eyes_know_the_session_as_it_is_whatever_happens(seed: int) -> None:
    room = Room(heard_s=0.2, says={nth(number): "Careful!" for number in range(5, 500, 20)})
    async with room.call() as caller, asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(known(caller.session))
        chance = Chance(caller, seed)
        for number in range(12):
            await chance.does(10)
            caller.session.write(Item(f"written_{number}", "user", "And this?"))
        await asyncio.sleep(5)
        looking.cancel()


async def known(session: Session) -> None:
    """Looks every few milliseconds."""
    while session.vision:
        assert session.vision.state == session.state
        await asyncio.sleep(0.007)


async def unsteady(caller: Caller, chance: random.Random) -> None:
    """About two frames a second."""
    assert caller.session.vision
    while True:
        caller.session.vision.watching.see(b"frame")
        await asyncio.sleep(chance.uniform(0.45, 0.55))
