"""The first who can talk with the agent decides what kind of call it is."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from livekit import rtc

from agent.rooms.first_caller import caller_in, first_caller
from agent.rooms.people import Occupant
from tests.agent.rooms.test_presence import Room, person

pytestmark = pytest.mark.anyio

SIP, AGENT = rtc.ParticipantKind.PARTICIPANT_KIND_SIP, rtc.ParticipantKind.PARTICIPANT_KIND_AGENT


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, 12, 0, second, tzinfo=UTC)


async def test_of_those_who_are_there_the_first_one_counts() -> None:
    room: Any = Room()
    room.remote_participants = {
        "ann": person("ann", joined_at=at(5)),
        "sip_1": person("sip_1", SIP, at(3)),
        "bot": person("bot", AGENT, at(1)),
    }
    assert caller_in(room) == await first_caller(room, 60) == Occupant("sip_1", "phone")
    assert asyncio.get_running_loop().time() == 0


async def test_whoever_comes_is_waited_for_and_another_agent_is_nobody() -> None:
    room: Any = Room()
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(first_caller(room, 60))
        await asyncio.sleep(1)
        room.come("bot", AGENT)
        await asyncio.sleep(1)
        room.come("ann")
        room.come("sip_1", SIP)
    assert waiting.result() == Occupant("ann", "person")
    assert asyncio.get_running_loop().time() == 2


async def test_nobody_is_waited_for_no_longer_than_that() -> None:
    room: Any = Room()
    assert await first_caller(room, 60) is None
    assert asyncio.get_running_loop().time() == 60
    room.come("ann")
