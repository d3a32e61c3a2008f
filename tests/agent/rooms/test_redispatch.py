"""A call that waits for a place at a full cell is taken by another one as soon as that has a place."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from livekit import rtc

from agent.rooms.redispatch import ARRIVES_S, LOOK_S, Redispatch, another_agent
from agent.status.attributes import MARK
from tests.agent.rooms.test_presence import Room, person

pytestmark = pytest.mark.anyio


class Waiting:
    """A call that waits, beside another cell.

    Attributes:
        free: Places of the other cell.
        comes_after_s: An agent of that comes so long after it was called; None: its place is gone by then.
        notes: What was done, with the second at which it was.
    """

    def __init__(self) -> None:
        self.waits, self.needed, self.broken = True, True, False
        self.free = 0
        self.comes_after_s: float | None = 2.0
        self.notes: list[str] = []

    async def free_elsewhere(self) -> int:
        if self.broken:
            raise OSError("nobody answers")
        return self.free

    async def call_another(self) -> str:
        self._note("calls")
        return "AD_1" if self.needed else ""

    async def call_off(self, dispatch: str) -> None:
        self._note(f"calls {dispatch} off")

    async def another_came(self) -> None:
        if self.comes_after_s is None:
            await asyncio.Event().wait()
        else:
            await asyncio.sleep(self.comes_after_s)

    def yield_to_another(self) -> None:
        self._note("yields")

    def _note(self, what: str) -> None:
        self.notes.append(f"{asyncio.get_running_loop().time():g} {what}")


@asynccontextmanager
async def waiting() -> AsyncIterator[Waiting]:
    call = Waiting()
    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(Redispatch(call, call.free_elsewhere).run())
        yield call
        looking.cancel()


async def test_it_goes_where_a_place_becomes_free_once_an_agent_has_come_from_there() -> None:
    async with waiting() as call:
        await asyncio.sleep(9)
        assert call.notes == [], "all are full"
        call.free = 1
        await asyncio.sleep(60)
    assert call.notes == ["10 calls", "12 yields"]
    assert LOOK_S <= 2


async def test_it_stays_where_it_is_if_somebody_was_faster_and_looks_again() -> None:
    async with waiting() as call:
        call.free, call.comes_after_s = 1, None
        await asyncio.sleep(LOOK_S + ARRIVES_S + 1)
        assert call.notes == ["2 calls", "17 calls AD_1 off"]
        call.comes_after_s = 2.0
        await asyncio.sleep(60)
    assert call.notes[2:] == ["19 calls", "21 yields"]


async def test_one_that_gets_a_place_where_it_is_stays_there() -> None:
    async with waiting() as call:
        call.free = 1
        await asyncio.sleep(LOOK_S + 1)
        call.waits = False
        await asyncio.sleep(60)
    assert call.notes == ["2 calls", "4 calls AD_1 off"]
    async with waiting() as call:
        call.waits = False
        call.free = 1
        await asyncio.sleep(60)
    assert call.notes == []


async def test_it_goes_on_looking_when_nobody_answers_or_nobody_is_there() -> None:
    async with waiting() as call:
        call.free, call.broken = 1, True
        await asyncio.sleep(5)
        call.broken, call.needed = False, False
        await asyncio.sleep(4)
        assert call.notes == ["6 calls", "8 calls"]
        call.needed = True
        await asyncio.sleep(60)
    assert call.notes[2:] == ["10 calls", "12 yields"]


def agent(identity: str, **attributes: str) -> Any:
    someone = person(identity, rtc.ParticipantKind.PARTICIPANT_KIND_AGENT)
    someone.attributes = attributes
    return someone


async def test_another_aura_is_waited_for_and_somebody_elses_agent_is_nobody() -> None:
    room: Any = Room("ann")
    async with asyncio.TaskGroup() as tasks:
        coming = tasks.create_task(another_agent(room))
        for bot in (agent("theirs"), agent("ours", **{MARK: "1"})):
            await asyncio.sleep(1)
            assert not coming.done()
            room.emit("participant_connected", bot)
    room.remote_participants["ours"] = agent("ours", **{MARK: "1"})
    await another_agent(room)
    assert asyncio.get_running_loop().time() == 2
