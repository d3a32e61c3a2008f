"""How a person is told that a picture of theirs was taken. On virtual time."""

import asyncio
from typing import Any

import pytest
from livekit.rtc.participant import PublishDataError

from agent.rooms.frame_ticks import FRAME, FrameTicks

pytestmark = pytest.mark.anyio


class Room:
    """Takes a second to tell."""

    def __init__(self, fails: bool = False) -> None:
        self.local_participant, self.fails, self.told = self, fails, list[Any]()

    def isconnected(self) -> bool:
        return True

    async def publish_data(self, payload: bytes, **how: Any) -> None:
        await asyncio.sleep(1)
        self.told.append(how)
        if self.fails:
            raise PublishDataError("no transport")


async def test_the_person_who_is_seen_is_told_of_each_picture_one_at_a_time() -> None:
    room = Room()
    ticks = FrameTicks(room)  # type: ignore[arg-type]
    ticks.tick()
    ticks.follow("ann")
    for _ in range(5):
        ticks.tick()
        await asyncio.sleep(0.5)
    await asyncio.sleep(1)
    assert room.told == [{"reliable": False, "topic": FRAME, "destination_identities": ["ann"]}] * 3
    await ticks.aclose()


async def test_who_cannot_be_told_is_told_of_the_next() -> None:
    room = Room(fails=True)
    ticks = FrameTicks(room)  # type: ignore[arg-type]
    ticks.follow("ann")
    for _ in range(2):
        ticks.tick()
        await asyncio.sleep(2)
    assert len(room.told) == 2
    await ticks.aclose()
