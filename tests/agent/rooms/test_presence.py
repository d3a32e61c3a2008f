"""Who is there, and for how long nobody may be."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from livekit import rtc

from agent.rooms.presence import Presence

pytestmark = pytest.mark.anyio


class Room(rtc.EventEmitter[str]):
    """Who is in it; emits what a room does."""

    def __init__(self, *identities: str) -> None:
        super().__init__()
        self.remote_participants: dict[str, Any] = {identity: person(identity) for identity in identities}

    def come(self, identity: str, kind: int = rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD) -> None:
        self.emit("participant_connected", person(identity, kind))

    def go(self, identity: str) -> None:
        self.emit("participant_disconnected", person(identity))


def person(
    identity: str, kind: int = rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD, joined_at: datetime | None = None
) -> Any:
    return SimpleNamespace(identity=identity, kind=kind, joined_at=joined_at)


class Notes:
    """What follows, with the second at which it does."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def on_joined(self, identity: str) -> None:
        self._note(identity)

    def on_left(self) -> None:
        self._note("left")

    def on_gone(self) -> None:
        self._note("gone")

    def _note(self, what: str) -> None:
        self.notes.append(f"{asyncio.get_running_loop().time():g} {what}")


def watch(room: Room) -> list[str]:
    observer = Notes()
    Presence(observer).watch(room)  # type: ignore[arg-type]
    return observer.notes


async def test_if_nobody_ever_comes_the_call_ends_after_a_minute() -> None:
    notes = watch(Room())
    await asyncio.sleep(100)
    assert notes == ["60 gone"]


@pytest.mark.parametrize("kind", ["AGENT", "EGRESS", "INGRESS", "BRIDGE"])
async def test_another_agent_a_recorder_and_a_stream_are_nobody(kind: str) -> None:
    room = Room()
    notes = watch(room)
    room.come("somebody", rtc.ParticipantKind.Value(f"PARTICIPANT_KIND_{kind}"))
    await asyncio.sleep(100)
    assert notes == ["60 gone"]


async def test_of_several_who_were_there_first_the_one_who_came_first_is_the_caller() -> None:
    room = Room()
    for minute, identity in ((5, "late"), (1, "early"), (3, "between")):
        room.remote_participants[identity] = person(identity, joined_at=datetime(2026, 1, 1, 12, minute, tzinfo=UTC))
    assert watch(room) == ["0 early"]


async def test_somebody_who_was_there_first_is_the_caller() -> None:
    notes = watch(Room("ann"))
    await asyncio.sleep(1_000)
    assert notes == ["0 ann"]


async def test_who_comes_back_within_a_minute_goes_on() -> None:
    room = Room("ann")
    notes = watch(room)
    await asyncio.sleep(10)
    room.go("ann")
    await asyncio.sleep(59)
    room.come("ann")
    await asyncio.sleep(1_000)
    assert notes == ["0 ann", "10 left", "69 ann"]


async def test_who_stays_away_ends_the_call() -> None:
    room = Room("ann")
    notes = watch(room)
    await asyncio.sleep(10)
    room.go("ann")
    await asyncio.sleep(1_000)
    assert notes == ["0 ann", "10 left", "70 gone"]


async def test_when_the_caller_goes_the_next_one_is_listened_to() -> None:
    room = Room("ann", "ben")
    notes = watch(room)
    await asyncio.sleep(10)
    room.go("ann")
    await asyncio.sleep(10)
    room.go("ben")
    room.go("somebody else")
    assert notes == ["0 ann", "10 ben", "20 left"]
