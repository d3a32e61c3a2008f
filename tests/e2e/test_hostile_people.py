"""People in a room who do all that they may, often and at length: the call of others, and their own, goes on."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from livekit import rtc
from livekit.rtc.participant import PublishDataError

from infra.bench.person.person import ANSWER_S, Person, joined
from tests.e2e.seeing import SeeingAgent
from tests.room import QUESTION

pytestmark = pytest.mark.anyio

MEGABYTE = "All work and no play. " * 47_663
ATTACK_S = 5.0
EACH_S = 1 / 50
REST = 5  # attributes in three seconds
NONSENSE = ("[]", "7", "null", "{", '{"phone_number": "+1"}', "x" * 8_000, '{"name": 1}', "\u0000", "")


async def test_a_stranger_in_the_room_who_attacks_the_agent_in_every_way_does_not_disturb_the_caller(
    seeing: SeeingAgent, a_room: Callable[[], str]
) -> None:
    room = a_room()
    async with joined("Ann", seeing.grant(room, "ann"), camera=True) as ann:
        await ann.greeted()
        async with joined("Eve", seeing.grant(room, "eve")) as eve:
            async with asyncio.TaskGroup() as attacks:
                for attack in (changes_attributes, calls_methods, flaps, writes_on_other_topics, sends_bytes):
                    attacks.create_task(attack(eve))
                attacks.create_task(eve.room.local_participant.send_text(MEGABYTE, topic="lk.chat"))
                answered = attacks.create_task(is_answered(ann))
            assert answered.result() < ATTACK_S + 5, "seconds, in the midst of it"
        await is_answered(ann)
        assert ann.agents == eve.agents, "it is the same agent all the time"
    assert not any(MEGABYTE[:200] in str(prompt.parts) for prompt in seeing.eyes.prompts), (
        "she is not who is talked with"
    )
    assert "Traceback" not in seeing.agent_log.read_text()


async def test_a_caller_who_writes_a_megabyte_is_told_that_it_is_too_much_and_is_answered_next(
    seeing: SeeingAgent, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", seeing.grant(a_room(), "ann")) as ann:
        await ann.greeted()
        await ann.type(MEGABYTE)
        await ann.diary.until(lambda: "fewer words" in "".join(ann.told("aura.error")), ANSWER_S, "that it is too much")
        await is_answered(ann)
    assert "All work" not in seeing.agent_log.read_text(), "what people write is never logged"


async def test_a_caller_who_changes_attributes_and_mutes_fifty_times_a_second_is_answered(
    seeing: SeeingAgent, a_room: Callable[[], str]
) -> None:
    async with joined("Ann", seeing.grant(a_room(), "ann")) as ann:
        await ann.greeted()
        async with asyncio.TaskGroup() as attacks:
            for attack in (changes_attributes, calls_methods, flaps):
                attacks.create_task(attack(ann))
            attacks.create_task(is_answered(ann))
        async with asyncio.timeout(ANSWER_S):  # what was asked of it has to be refused first
            await comes_to_rest(ann)
        assert len(ann.told("aura.shown")) <= 4 * ATTACK_S, "pictures are two a second, and so is what is told of them"
        await is_answered(ann)


async def comes_to_rest(person: Person) -> None:
    """Wait until little is told of anything any more."""
    told = -REST
    while len(person.attributes) - told >= REST:
        told = len(person.attributes)
        await asyncio.sleep(3.0)


async def is_answered(person: Person) -> float:
    """Ask in writing; returns the seconds until the answer has been heard."""
    began = asyncio.get_running_loop().time()
    count = sum("A cup." in said for said in person.said("agent"))
    await person.type(QUESTION)
    await person.diary.until(
        lambda: sum("A cup." in said for said in person.said("agent")) > count, ANSWER_S, "the answer"
    )
    return asyncio.get_running_loop().time() - began


async def changes_attributes(person: Person) -> None:
    """Also those that mean something to the agent or to pages."""
    for at in range(round(ATTACK_S / EACH_S)):
        nonsense = NONSENSE[at % len(NONSENSE)]
        changed = dict.fromkeys(("aura.persona", "aura.state", "lk.agent.state", f"x{at % 7}"), f"{nonsense}{at}")
        await tries(person.room.local_participant.set_attributes(changed))
        await asyncio.sleep(EACH_S)


async def calls_methods(person: Person) -> None:
    """Of the agent, whether there are any such methods."""
    for at in range(20):
        for method in ("aura.configure", "lk.agent.rpc", "nobody", ""):
            payload = NONSENSE[at % len(NONSENSE)]
            call = person.room.local_participant.perform_rpc(
                destination_identity=person.agents[-1], method=method, payload=payload, response_timeout=1.0
            )
            await tries(call)


async def flaps(person: Person) -> None:
    """Switch a camera on and off, fifty times a second."""
    await person.film()
    publications = person.room.local_participant.track_publications.values()
    (track,) = [each.track for each in publications if each.source == rtc.TrackSource.SOURCE_CAMERA]
    assert isinstance(track, rtc.LocalVideoTrack)
    for at in range(round(ATTACK_S / EACH_S)):
        (track.mute if at % 2 else track.unmute)()
        await asyncio.sleep(EACH_S)
    track.unmute()


async def writes_on_other_topics(person: Person) -> None:
    for topic in ("", "lk.transcription", "lk.agent.session", "x" * 1_000):
        await tries(person.room.local_participant.send_text(MEGABYTE[:100_000], topic=topic))


async def sends_bytes(person: Person) -> None:
    for at in range(50):
        data = bytes([at]) * 15_000
        await tries(person.room.local_participant.publish_data(data, topic=f"lk.chat{at % 2 or ''}"))
    async with byte_stream(person) as stream:
        await stream.write(b"\xff\x00" * 50_000)


async def tries(what: Awaitable[object]) -> None:
    """The server and the agent may refuse it."""
    with suppress(rtc.RpcError, rtc.StreamError, PublishDataError):
        await what


@asynccontextmanager
async def byte_stream(person: Person) -> AsyncGenerator[rtc.ByteStreamWriter]:
    stream = await person.room.local_participant.stream_bytes("noise.bin", topic="lk.chat")
    yield stream
    await stream.aclose()
