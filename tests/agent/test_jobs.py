"""What the calls of a browser and of a phone show to their rooms, and how they end their jobs."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from livekit import rtc
from livekit.agents import AgentSession, JobContext

from agent.job import GONE, FirstCall, RoomCall
from agent.phone.job import PhoneCall
from agent.rooms.early_streams import EarlyStreams
from agent.rooms.farewells import SILENT, Farewells, Leaving
from agent.settings.agent import LiveKitSettings, PipelineSettings, WorkerSettings
from agent.settings.phone import PhoneSettings
from agent.status.attributes import CONNECTION, HISTORY
from tests.agent.rooms.test_presence import Room, person
from tests.agent.turns.test_voice_level import OWN_DB, frame

pytestmark = pytest.mark.anyio

SIP, STANDARD = rtc.ParticipantKind.PARTICIPANT_KIND_SIP, rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD
SETTINGS = WorkerSettings(
    PipelineSettings("http://pipeline", "key"),
    LiveKitSettings("ws://livekit", "key", "secret", "aura"),
    port=0,
    idle_processes=0,
    max_jobs=1,
    drain_s=0,
    grace_s=60,
    phone=PhoneSettings(),
)


class Job:
    """A job's context in a room that is there, or not yet."""

    def __init__(self, *, connected: bool = True) -> None:
        self.shown: list[dict[str, str]] = []
        self.ends: list[str] = []
        self.job = SimpleNamespace(metadata="", room=SimpleNamespace(name="a room"))
        self.callbacks: list[Any] = []
        self.room = SimpleNamespace(
            name="a room",
            creation_time=datetime(2026, 1, 1, tzinfo=UTC),
            isconnected=lambda: connected,
            on=lambda *_: None,
            off=lambda *_: None,
            remote_participants={},
            register_byte_stream_handler=lambda *_: None,
            register_text_stream_handler=lambda *_: None,
        )
        self.room.local_participant = self

    async def set_attributes(self, attributes: dict[str, str]) -> None:
        self.shown.append(attributes)

    def add_shutdown_callback(self, callback: Any) -> None:
        self.callbacks.append(callback)

    def shutdown(self, reason: str) -> None:
        self.ends.append(reason)


@pytest.mark.parametrize(("connected", "shown"), [(True, [{"aura.state": "listening"}]), (False, [])])
async def test_a_browser_is_shown_everything_while_there_is_a_room(
    connected: bool, shown: list[dict[str, str]]
) -> None:
    job: Any = Job(connected=connected)
    await RoomCall(SETTINGS, job).publish({"aura.state": "listening"})
    assert job.shown == shown


async def test_a_call_that_nobody_comes_back_to_ends_its_job() -> None:
    job: Any = Job()
    RoomCall(SETTINGS, job).on_gone()
    assert job.ends == [GONE]


async def test_how_loud_a_caller_is_is_kept_until_somebody_else_is_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AgentSession, "room_io", SimpleNamespace(set_participant=lambda _: None))
    job: Any = Job()
    call = RoomCall(SETTINGS, job, "ann")
    call.on_joined("ann")
    near = call._call.spoken.near
    near.onset(goes_on=False)
    for _ in range(50):
        near.hears(frame(OWN_DB))
    near.pause()
    near.take()
    near.audible(True)
    heard = []
    for identity in ("ann", "bob"):
        call.on_joined(identity)
        heard.append([near.hears(frame(OWN_DB - 20)) for _ in range(50)][-1])
    assert heard == [False, True]


async def test_the_room_of_a_phone_is_shown_what_another_agent_needs_to_take_over_and_nothing_else() -> None:
    job: Any = Job()
    call = PhoneCall(SETTINGS, job, Leaving(job.room, SILENT, "a job"))
    await call.publish({"aura.state": "listening"})
    await call.publish({CONNECTION: "token", "aura.sees": "no"})
    await call.publish({HISTORY: "sealed words"})
    assert job.shown == [{CONNECTION: "token"}, {HISTORY: "sealed words"}]


def waiting(job: Any) -> FirstCall:
    return FirstCall(SETTINGS, job, Leaving(job.room, SILENT, "a job"), EarlyStreams(job.room))


async def test_a_job_is_set_up_at_once_though_nobody_is_there_and_ends_if_nobody_comes() -> None:
    job: Any = Job()
    await waiting(job).begin()
    assert asyncio.get_running_loop().time() == 0
    await asyncio.sleep(59)
    assert job.ends == []
    await asyncio.sleep(2)
    assert job.ends == [GONE]


async def test_a_job_that_is_ended_waits_for_nobody() -> None:
    job: Any = Job()
    await waiting(job).begin()
    (let_go,) = job.callbacks
    await asyncio.sleep(1)
    await let_go()
    await asyncio.sleep(100)
    assert job.ends == []


@pytest.mark.parametrize(("connected", "meant"), [(True, True), (False, False)])
async def test_a_phone_call_ends_with_its_own_phone_and_that_is_meant_if_it_has_not_lost_the_room(
    connected: bool, meant: bool
) -> None:
    job, farewells = Job(connected=connected), Farewells()
    room: Any = Room()
    room.name, room.creation_time, room.isconnected = "a room", datetime(2026, 1, 1, tzinfo=UTC), lambda: connected
    job.room = room
    call = PhoneCall(SETTINGS, cast(JobContext, job), Leaving(room, farewells.sender, "AJ_1"), "sip_1")
    call.watch(room)
    for identity, ends in (("ann", []), ("sip_2", []), ("sip_1", ["hung up"])):
        someone = person(identity, SIP if identity.startswith("sip") else STANDARD)
        someone.disconnect_reason = None
        room.emit("participant_disconnected", someone)
        assert job.ends == ends
    assert farewells.take("AJ_1") is meant
    farewells.close()


async def test_the_first_phone_that_comes_is_the_caller() -> None:
    job, room = Job(), cast(Any, Room())
    room.name, room.creation_time, room.isconnected = "a room", datetime(2026, 1, 1, tzinfo=UTC), lambda: True
    room.local_participant = job
    job.room = room
    call = PhoneCall(SETTINGS, cast(JobContext, job), Leaving(room, SILENT, "AJ_1"))
    call.watch(room)
    for identity in ("sip_1", "sip_2"):
        caller = person(identity, SIP)
        caller.attributes = {"sip.callStatus": "dialing"}
        room.emit("participant_connected", caller)
    other = person("sip_2", SIP)
    other.disconnect_reason = rtc.DisconnectReason.USER_REJECTED
    room.emit("participant_disconnected", other)
    assert job.ends == []
    first = person("sip_1", SIP)
    first.disconnect_reason = rtc.DisconnectReason.USER_REJECTED
    room.emit("participant_disconnected", first)
    assert job.ends == ["declined"]
