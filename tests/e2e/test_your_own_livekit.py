"""AURA in anybody's LiveKit: `docs/your-own-livekit.md`, against a server that the launcher did not start."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from livekit import api
from livekit.agents.voice.remote_session import RemoteSession, RoomSessionTransport

from agent.status.attributes import CONNECTION, MARK
from infra.bench.person.grant import Grant
from infra.bench.person.person import READY_S, joined
from pipeline.engines.fake import writes
from pipeline.types.chunks import ChatPrompt
from tests.e2e.own_livekit import GRACE_S, OwnAgent, OwnLiveKit, bystander, own_agent, own_livekit
from tests.e2e.stack import POLL_S
from tests.scenario import Line
from tests.served import KEY, served

pytestmark = pytest.mark.anyio

ZONE = "Asia/Tokyo"
CALL = '<tool_call>\n{"name": "current_time", "arguments": {}}\n</tool_call>'
STAYS_AWAY_S = 2.5  # the worker looks each half second
NAME = "named"
MB = 1_000_000


def tells_time(chat: ChatPrompt) -> str:
    """Asks the agent for the time, where somebody wants to know it."""
    last = chat.messages[-1]
    if last.call_id:
        return f"It is {last.text}."
    return CALL if "time" in last.text else "The capital is Paris."


@pytest.fixture(scope="module")
async def pipeline() -> AsyncGenerator[Mapping[str, str]]:
    async with served(Line(aura=writes(tells_time)), max_sessions=16) as serving:
        yield {"AURA_PIPELINE_URL": serving.url, "AURA_PIPELINE_KEY": KEY}


@pytest.fixture(scope="module")
async def livekit(environ: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[OwnLiveKit]:
    async with own_livekit(Path(environ["AURA_HOME"]), tmp_path_factory.mktemp("livekit")) as running:
        yield running


@pytest.fixture(scope="module")
async def agent(
    livekit: OwnLiveKit, pipeline: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[OwnAgent]:
    """Of no name: it comes into every room."""
    folder = tmp_path_factory.mktemp("agent")
    async with own_agent(livekit, pipeline, folder, AURA_BUILTIN_TOOLS="current_time", AURA_TIMEZONE=ZONE) as running:
        yield running


@pytest.fixture(scope="module")
async def named(
    livekit: OwnLiveKit, pipeline: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[OwnAgent]:
    """Comes where it is called."""
    async with own_agent(livekit, pipeline, tmp_path_factory.mktemp("named"), LIVEKIT_AGENT_NAME=NAME) as running:
        yield running


async def test_an_agent_without_a_name_comes_into_any_room_by_itself(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Ann", livekit.grant(room, "ann")) as ann:
        await ann.diary.until(lambda: ann.agents, READY_S, "the agent")
        await ann.type("Are you there?")  # while its call is being set up
        await ann.diary.until(lambda: any("Paris" in text for text in ann.said("agent")), READY_S, "an answer")
        (name,) = ann.agents
        assert ann.room.remote_participants[name].attributes[MARK] == "1"
    await agent.idle()
    await gone(livekit, room)


def wall_time() -> datetime:
    return datetime.now(ZoneInfo(ZONE))  # noqa: TID251 - what the wall's clock shows is asked for


async def test_who_asks_what_time_it_is_is_told_the_time(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    """By the agent's own tool: nothing else knows the zone."""
    async with joined("Tim", livekit.grant(a_room(), "tim")) as tim:
        await tim.greeted()
        began = wall_time().replace(second=0, microsecond=0)
        await tim.type("What time is it?")
        answer = "It is "
        await tim.diary.until(lambda: any(answer in text for text in tim.said("agent")), READY_S, "the time")
        (told,) = [text for text in tim.said("agent") if answer in text]
        written = datetime.strptime(told.partition(answer)[2], "%A, %d %B %Y, %H:%M (JST).")
        assert began <= written.replace(tzinfo=ZoneInfo(ZONE)) <= wall_time()
        await tim.diary.until(lambda: len(tim.heard.stretches) > 1, READY_S, "the time aloud")
        states = [json.loads(report)["state"] for report in tim.told("aura.tool")]
        assert states[-1] == "done"
    await agent.idle()


async def test_an_agent_with_a_name_comes_where_a_token_calls_it(
    livekit: OwnLiveKit, named: OwnAgent, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    async with joined("Ben", livekit.calling(a_room(), "ben", NAME)) as ben:
        await ben.greeted()
        assert (await named.jobs(), await agent.jobs()) == (1, 0)
    await named.idle()


async def test_a_dispatch_calls_an_agent_whatever_is_given_along(
    livekit: OwnLiveKit, named: OwnAgent, a_room: Callable[[], str]
) -> None:
    strange = ("[1, 2]", "7", '{"phone_number": "+1555"}', '{"aura.persona": 7}', "x" * MB)
    room = a_room()
    async with livekit.server() as server:
        await server.room.create_room(api.CreateRoomRequest(name=room, agents=[nobody()]))
        async with joined("Cleo", livekit.grant(room, "cleo")) as cleo:
            for metadata in strange:
                before = len(cleo.told(CONNECTION))
                called = api.CreateAgentDispatchRequest(agent_name=NAME, room=room, metadata=metadata)
                dispatch = await server.agent_dispatch.create_dispatch(called)
                await cleo.diary.until(partial(any_since, cleo.told, before), READY_S, f"a call with {metadata[:40]}")
                await server.agent_dispatch.delete_dispatch(dispatch.id, room)
                await named.idle()


async def test_who_removes_the_agent_keeps_it_away(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Dan", livekit.grant(room, "dan")) as dan, livekit.server() as server:
        await dan.greeted()
        await server.room.remove_participant(api.RoomParticipantIdentity(room=room, identity=dan.agents[0]))
        await stays_away(livekit, agent, room, {"dan"})
    assert f"another agent is called room={room}" not in agent.log.read_text()


async def test_who_deletes_the_dispatch_keeps_the_agent_away(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Eve", livekit.grant(room, "eve")) as eve, livekit.server() as server:
        await eve.greeted()
        (dispatch,) = await server.agent_dispatch.list_dispatch(room)
        await server.agent_dispatch.delete_dispatch(dispatch.id, room)
        await stays_away(livekit, agent, room, {"eve"})
    assert f"another agent is called room={room}" not in agent.log.read_text()


async def test_an_agent_that_dies_is_replaced_though_another_agent_is_in_the_room(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Fay", livekit.grant(room, "fay")) as fay, bystander(livekit.grant(room, "bot", kind="agent")):
        await fay.greeted()
        os.kill(job_of(agent, room), signal.SIGKILL)
        await fay.diary.until(lambda: len(set(fay.agents)) == 3, READY_S, "another one")
    assert "another agent is called" in agent.log.read_text()


async def test_a_room_that_another_agent_is_in_is_left_and_not_ended(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with bystander(livekit.grant(room, "bot", kind="agent")) as bot:
        async with joined("Gus", livekit.grant(room, "gus")) as gus:
            await gus.greeted()
        await agent.idle(GRACE_S + 10.0)
        assert await livekit.there(room) == {"bot"}
        assert bot.isconnected()


async def test_a_phone_is_known_by_its_kind_and_the_others_stay_when_it_hangs_up(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    phone = livekit.grant(room, "sip_+15550100", kind="sip", attributes={"sip.callStatus": "active"})
    async with bystander(phone), joined("Hal", livekit.grant(room, "hal")) as hal:
        await hal.greeted()
        async with livekit.server() as server:
            await server.room.remove_participant(api.RoomParticipantIdentity(room=room, identity="sip_+15550100"))
        await stays_away(livekit, agent, room, {"hal"})
    (record,) = [
        line for line in agent.log.read_text().splitlines() if "call record" in line and f"room={room}" in line
    ]
    assert "active=True" in record and "reason=hung up" in record
    assert "+1555" not in agent.log.read_text()


async def test_a_phone_that_comes_later_does_not_change_the_call_of_a_browser(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Ida", livekit.grant(room, "ida")) as ida:
        await ida.greeted()
        phone = livekit.grant(room, "sip_1", kind="sip", attributes={"sip.callStatus": "active"})
        async with bystander(phone):
            await asyncio.sleep(1)
        await asyncio.sleep(1)
        assert ida.state == "listening" and await agent.jobs() == 1
        assert ida.agents[0] in await livekit.there(room)


async def test_a_caller_over_somebodys_own_trunk_may_not_call_too_often(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    """Two calls at a time, as over a trunk of ours; and the room of the third is not ended."""
    calls_in = {"sip.callStatus": "active", "sip.ruleID": "SDR_theirs"}
    async with AsyncExitStack() as calls:
        rooms = [a_room() for _ in range(3)]
        for room in rooms:
            grant = livekit.grant(room, "sip_often", kind="sip", attributes=calls_in)
            await calls.enter_async_context(bystander(grant))
            await calls.enter_async_context(bystander(livekit.grant(room, "operator", hidden=True)))
            await asyncio.sleep(1)
        assert "operator" in await livekit.there(rooms[2])
        assert [("sip_often" in await livekit.there(room)) for room in rooms] == [True, True, False]
    assert lines(agent, "call refused", rooms[2])
    await agent.idle()


async def test_the_protocol_of_livekits_inspector_answers_only_whom_the_token_allows(
    livekit: OwnLiveKit, agent: OwnAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Joy", livekit.grant(room, "joy")) as joy:
        await joy.greeted()
        allowed = livekit.grant(room, "inspector", can_manage_agent_session=True)
        async with inspecting(allowed, joy.agents[0]) as session:
            await session.wait_for_ready()
            assert "Aura" in (await session.get_agent_info()).instructions
            said = asyncio.Event()
            session.on("conversation_item_added", lambda _: said.set())
            await joy.type("Hello?")
            async with asyncio.timeout(READY_S):
                await said.wait()
            assert (await session.get_chat_history()).items
        async with inspecting(livekit.grant(room, "stranger"), joy.agents[0]) as session:
            with pytest.raises(TimeoutError):
                await session.wait_for_ready(timeout=1.5)


async def test_a_second_signal_ends_a_lone_callers_room_at_once_and_leaves_a_room_with_others(
    livekit: OwnLiveKit, pipeline: Mapping[str, str], a_room: Callable[[], str], tmp_path: Path
) -> None:
    lone, shared = a_room(), a_room()
    named = own_agent(livekit, pipeline, tmp_path / "named", AURA_AGENT_NAME="ending")
    async with (
        named as agent,
        joined("Mia", livekit.calling(lone, "mia", "ending")) as mia,
        joined("Ned", livekit.calling(shared, "ned", "ending")) as ned,
        joined("Oli", livekit.grant(shared, "oli")) as oli,
    ):
        await mia.greeted()
        await ned.greeted()
        agent.told()
        await asyncio.sleep(1)
        assert agent.process.returncode is None
        agent.told()
        async with asyncio.timeout(8):
            assert await agent.process.wait() == 0
        await mia.diary.until(lambda: not mia.room.isconnected(), 5, "the end of her room")
        assert ned.room.isconnected() and oli.room.isconnected()
        assert await livekit.there(shared) == {"ned", "oli"}


async def test_a_worker_that_is_told_to_end_lets_its_calls_go_on_and_takes_no_more(
    livekit: OwnLiveKit, pipeline: Mapping[str, str], named: OwnAgent, a_room: Callable[[], str], tmp_path: Path
) -> None:
    """It is the last test of this worker."""
    async with bystander(livekit.calling(room := a_room(), "kim", NAME)) as kim:
        async with asyncio.timeout(READY_S):
            while not await named.jobs():
                await asyncio.sleep(POLL_S)
        async with own_agent(livekit, pipeline, tmp_path / "other", AURA_AGENT_NAME=NAME) as other:
            named.told()
            await asyncio.sleep(1)
            async with joined("Lee", livekit.calling(a_room(), "lee", NAME)) as lee:
                await lee.greeted()
                assert (await named.jobs(), await other.jobs()) == (1, 1)
            assert kim.isconnected() and len(await livekit.there(room)) == 2
            assert named.process.returncode is None
    async with asyncio.timeout(GRACE_S + 10.0):
        assert await named.process.wait() == 0


def any_since(told: Callable[[str], list[str]], before: int) -> bool:
    """Whether an agent has got a line since."""
    return any(told(CONNECTION)[before:])


def nobody() -> api.RoomAgentDispatch:
    """So that no agent without a name comes."""
    return api.RoomAgentDispatch(agent_name="nobody")


async def stays_away(livekit: OwnLiveKit, agent: OwnAgent, room: str, people: set[str]) -> None:
    """Return when the agent has gone, and a while later is not back."""
    async with asyncio.timeout(10):
        while await livekit.there(room) != people:
            await asyncio.sleep(POLL_S)
    await agent.idle()
    await asyncio.sleep(STAYS_AWAY_S)
    assert await livekit.there(room) == people


async def gone(livekit: OwnLiveKit, room: str) -> None:
    async with asyncio.timeout(10):
        while room in await livekit.rooms():
            await asyncio.sleep(POLL_S)


def job_of(agent: OwnAgent, room: str) -> int:
    """The process that serves a room, as the log names it."""
    return int(lines(agent, "call begun", room)[-1].split("pid=")[1].split()[0])


def lines(agent: OwnAgent, event: str, room: str) -> list[str]:
    """What the agent has logged of an event in a room."""
    return [line for line in agent.log.read_text().splitlines() if event in line and f"room={room}" in line]


@asynccontextmanager
async def inspecting(grant: Grant, agent: str) -> AsyncGenerator[RemoteSession]:
    """A client of LiveKit's session protocol in the room, as its tools have it."""
    async with bystander(grant) as room:
        session = RemoteSession(RoomSessionTransport(room, agent))
        await session.start()
        try:
            yield session
        finally:
            await session.aclose()
