"""What the calls of a browser and of a phone show to their rooms, and how they end their jobs."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from livekit import rtc
from livekit.agents import AgentSession, JobContext

from agent.job import GONE, FirstCall, RoomCall
from agent.phone.job import PhoneCall
from agent.rooms.early_streams import EarlyStreams
from agent.rooms.failover_metadata import FailoverMetadata
from agent.rooms.farewells import SILENT, Farewells, Leaving
from agent.rooms.redispatch import LOOK_S
from agent.settings.agent import LiveKitSettings, PipelineSettings, WorkerSettings
from agent.settings.phone import PhoneSettings
from agent.status.attributes import CONNECTION, HISTORY, MARK
from tests.agent.rooms.test_presence import Room, person
from tests.agent.turns.test_voice_level import OWN_DB, frame

pytestmark = pytest.mark.anyio

SIP, STANDARD = rtc.ParticipantKind.PARTICIPANT_KIND_SIP, rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD
BOTH = ("http://pipeline", "http://other:1")
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


class OtherCell:
    """What a call that waits asks of another cell.

    Attributes:
        called: What the agents were told that were called there.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.called: list[FailoverMetadata] = []
        monkeypatch.setattr("agent.job.free_elsewhere", self._free)
        monkeypatch.setattr("agent.rooms.rooms.call_another", self._call)

    async def _free(self, own: str, cells: tuple[str, ...]) -> int:
        assert (own, cells) == (SETTINGS.pipeline.url, BOTH)
        return 1

    async def _call(self, livekit: LiveKitSettings, room: str, agent: str, waiting: FailoverMetadata) -> str:
        assert (livekit, room, agent) == (SETTINGS.livekit, "a room", "agent-1")
        self.called.append(waiting)
        return "AD_2"


def beside_another_cell(job: Any, metadata: str) -> tuple[RoomCall, Any, Farewells]:
    """A call that came with that, its room, and who is told that it leaves."""
    room, farewells = cast(Any, Room("ann")), Farewells()
    room.name, room.isconnected, room.local_participant = "a room", lambda: False, SimpleNamespace(identity="agent-1")
    job.room, job.job.metadata = room, metadata
    call = RoomCall(replace(SETTINGS, cells=BOTH), job, "ann", Leaving(room, farewells.sender, "AJ_1"))
    return call, room, farewells


@pytest.mark.parametrize(
    ("metadata", "history", "told"),
    [
        ("theirs", "", FailoverMetadata(given="theirs", if_place=True)),
        ("", "sealed", FailoverMetadata(history="sealed", if_place=True)),
        (
            FailoverMetadata("token", "theirs", history="before").metadata(),
            "",
            FailoverMetadata("token", "theirs", history="before", if_place=True),
        ),
    ],
    ids=["new", "something was written", "begun"],
)
async def test_a_call_that_finds_no_place_goes_to_another_cell_with_all_that_it_is_and_nobody_is_called_in_its_place(
    monkeypatch: pytest.MonkeyPatch, metadata: str, history: str, told: FailoverMetadata
) -> None:
    job, other = Job(), OtherCell(monkeypatch)
    call, room, farewells = beside_another_cell(job, metadata)
    if history:
        await call.publish({HISTORY: history})
    for _ in range(3):
        call.on_trouble("All places are taken just now.")
    await asyncio.sleep(LOOK_S + 1)
    assert other.called == [told] and job.ends == [], "until the other one is there"
    agent = person("agent-2", rtc.ParticipantKind.PARTICIPANT_KIND_AGENT)
    agent.attributes = {MARK: "1"}
    room.emit("participant_connected", agent)
    await asyncio.sleep(60)
    assert other.called == [told] and job.ends == ["another cell has the call"] and farewells.take("AJ_1")
    farewells.close()


async def test_a_call_that_has_had_a_place_stays_in_its_cell_and_so_does_one_that_gets_a_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = OtherCell(monkeypatch)
    for troubles in (["", "The speech server has stopped."], ["All places are taken just now.", ""]):
        job = Job()
        call, _, farewells = beside_another_cell(job, "")
        for trouble in troubles:
            call.on_trouble(trouble)
        await asyncio.sleep(60)
        assert other.called == [] and job.ends == []
        farewells.close()


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
