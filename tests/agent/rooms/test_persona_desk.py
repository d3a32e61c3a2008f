"""What people in a room ask of the persona: who may, how often, and what they are told. On virtual time."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from livekit import rtc

from agent.persona.changes import OF_STRANGERS, PersonaChanges, PersonaRefused, Refusal
from agent.rooms.persona_desk import CONFIGURE, LEAST_S, MOST_WAITING, SAMPLE, PersonaDesk

pytestmark = pytest.mark.anyio

STANDARD, AGENT = rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD, rtc.ParticipantKind.PARTICIPANT_KIND_AGENT


class Holder:
    """Is whoever it is asked to be, but for a voice that does not exist."""

    def __init__(self) -> None:
        self.now: dict[str, Any] = {"name": "Aura", "voice": "vivian"}
        self.changes: list[tuple[float, Mapping[str, Any]]] = []
        self.refusals: list[str] = []
        self.languages: list[str] = []
        self.samples = 0

    def meet(self, languages: str) -> None:
        self.languages.append(languages)

    async def become(self, changes: PersonaChanges) -> Mapping[str, object]:
        await asyncio.sleep(0.01)
        if changes.values.get("voice") == "broken":
            raise ZeroDivisionError
        if changes.values.get("voice") == "bass":
            raise PersonaRefused(Refusal("voice", "'bass' is not served"))
        self.changes.append((round(asyncio.get_running_loop().time(), 2), changes.values))
        self.now |= changes.values
        return self.now

    def sample(self) -> None:
        if self.now["voice"] == "vivian":
            raise PersonaRefused(Refusal("voice", "it speaks already"))
        self.samples += 1

    def refuse(self, *refusals: Refusal) -> None:
        self.refusals += map(str, refusals)


class Room:
    """A room with people in it."""

    def __init__(self, **people: dict[str, str]) -> None:
        self.remote_participants = {
            name: SimpleNamespace(identity=name, attributes=attributes, kind=AGENT if name == "agent" else STANDARD)
            for name, attributes in people.items()
        }
        self.local_participant = self
        self.methods: dict[str, Any] = {}
        self._on_changed: Any = None

    def on(self, event: str, callback: Any) -> None:
        assert event == "participant_attributes_changed"
        self._on_changed = callback

    def register_rpc_method(self, name: str, handler: Any) -> None:
        self.methods[name] = handler

    def changes(self, name: str, **attributes: str) -> None:
        self._on_changed({f"aura.{key}": value for key, value in attributes.items()}, self.remote_participants[name])

    async def calls(self, name: str, payload: str) -> dict[str, Any]:
        call = rtc.RpcInvocationData("id", name, payload, 10.0)
        answer: dict[str, Any] = msgspec.json.decode(await self.methods[CONFIGURE](call))
        return answer


@asynccontextmanager
async def desk(room: Any, strangers: frozenset[str] = OF_STRANGERS) -> AsyncIterator[Holder]:
    holder = Holder()
    desk = PersonaDesk(holder, strangers)
    desk.watch(room)
    if "ann" in room.remote_participants:
        desk.serve("ann")
    yield holder
    await desk.aclose()


async def test_a_call_is_answered_with_who_the_agent_is_now() -> None:
    room = Room(ann={})
    async with desk(room):
        assert await room.calls("ann", '{"voice": "eric"}') == {"name": "Aura", "voice": "eric"}
        assert await room.calls("ann", "{}") == {"name": "Aura", "voice": "eric"}


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ('{"voice": "bass"}', "voice: 'bass' is not served"),
        ('{"voice": 7}', "voice: it must be text"),
        ('{"voise": "x"}', "voise: there is no such field; did you mean `voice`?"),
        ('{"instructions": "Obey."}', "instructions: participants may not set it here"),
        ("[]", "aura.persona: it must be an object with the fields of a persona"),
        ("x" * 60_000, "aura.persona: it has 60,000 letters, of which 16,384 have room"),
    ],
    ids=lambda text: text[:24],
)
async def test_a_refusal_names_the_field_and_changes_nothing(payload: str, why: str) -> None:
    room = Room(ann={})
    async with desk(room) as holder:
        with pytest.raises(rtc.RpcError) as refused:
            await room.calls("ann", payload)
        assert (refused.value.code, refused.value.message) == (400, why)
        assert holder.changes == []
        assert (await room.calls("ann", '{"voice": "eric"}'))["voice"] == "eric", "and the next is taken"


async def test_who_asks_for_a_sample_of_the_voice_hears_it_or_is_told_why_not() -> None:
    room = Room(ann={})
    async with desk(room) as holder:
        call = rtc.RpcInvocationData("id", "ann", "", 10.0)
        with pytest.raises(rtc.RpcError, match="voice: it speaks already") as refused:
            await room.methods[SAMPLE](call)
        assert refused.value.code == 400
        await room.calls("ann", '{"voice": "eric"}')
        assert await room.methods[SAMPLE](call) == "{}"
        assert holder.samples == 1


async def test_another_agent_may_set_all() -> None:
    room = Room(ann={}, agent={})
    async with desk(room):
        assert (await room.calls("agent", '{"name": "Nova"}'))["name"] == "Nova"
        with pytest.raises(rtc.RpcError, match="name: participants may not"):
            await room.calls("ann", '{"name": "Nova"}')


async def test_the_operator_says_what_participants_may_set() -> None:
    room = Room(ann={})
    async with desk(room, frozenset(("name",))):
        assert (await room.calls("ann", '{"name": "Nova"}'))["name"] == "Nova"
        with pytest.raises(rtc.RpcError, match="voice: participants may not"):
            await room.calls("ann", '{"voice": "eric"}')


async def test_of_fifty_changes_a_second_the_newest_holds_and_few_are_made() -> None:
    room = Room(ann={})
    async with desk(room) as holder:
        for number in range(50):
            room.changes("ann", persona=f'{{"voice": "v{number}"}}')
            await asyncio.sleep(0.02)
        await asyncio.sleep(1)
        assert holder.now["voice"] == "v49"
        assert len(holder.changes) <= 1 / LEAST_S + 1
        gaps = [later - earlier for (earlier, _), (later, _) in zip(holder.changes, holder.changes[1:], strict=False)]
        assert min(gaps) >= LEAST_S


async def test_all_of_fifty_calls_at_once_are_answered_with_the_newest() -> None:
    room = Room(ann={})
    async with desk(room) as holder:
        answers = await asyncio.gather(*(room.calls("ann", f'{{"voice": "v{number}"}}') for number in range(50)))
        assert {answer["voice"] for answer in answers} == {"v49"}
        assert len(holder.changes) == 1


async def test_a_flood_of_calls_is_refused_and_the_room_lives_on() -> None:
    room = Room(ann={})
    async with desk(room):
        calls = (room.calls("ann", '{"voice": "eric"}') for _ in range(MOST_WAITING + 10))
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert sum(isinstance(answer, rtc.RpcError) for answer in answers) == 10
        assert (await room.calls("ann", "{}"))["voice"] == "eric"


async def test_one_callers_refusal_is_not_anothers() -> None:
    room = Room(ann={}, bob={})
    async with desk(room):
        answers = await asyncio.gather(
            room.calls("ann", '{"voice": "bass"}'), room.calls("bob", '{"proactive": false}'), return_exceptions=True
        )
    assert isinstance(answers[0], rtc.RpcError)
    assert answers[1] == {"name": "Aura", "voice": "vivian", "proactive": False}


async def test_who_only_asks_who_it_is_is_answered_beside_a_refusal() -> None:
    room = Room(ann={}, bob={})
    async with desk(room):
        async with asyncio.timeout(5):
            answers = await asyncio.gather(
                room.calls("ann", '{"voice": "bass"}'), room.calls("bob", "{}"), return_exceptions=True
            )
    assert isinstance(answers[0], rtc.RpcError)
    assert answers[1] == {"name": "Aura", "voice": "vivian"}


async def test_of_a_call_that_is_refused_nothing_is_done() -> None:
    room = Room(ann={})
    async with desk(room) as holder:
        with pytest.raises(rtc.RpcError, match="voice"):
            await room.calls("ann", '{"voice": "bass", "proactive": false}')
        await asyncio.sleep(1)
    assert holder.changes == []


async def test_a_long_refusal_shows_that_it_is_cut() -> None:
    room = Room(ann={})
    async with desk(room):
        with pytest.raises(rtc.RpcError) as error:
            await room.calls("ann", msgspec.json.encode({f"field{number}": 1 for number in range(500)}).decode())
    assert len(error.value.message.encode()) <= 256 and error.value.message.endswith("…")


async def test_a_change_that_fails_is_told_and_the_next_is_made() -> None:
    room = Room(ann={})
    async with desk(room):
        with pytest.raises(rtc.RpcError, match=r"aura\.persona: it failed"):
            await room.calls("ann", '{"voice": "broken"}')
        assert (await room.calls("ann", '{"voice": "eric"}'))["voice"] == "eric"


async def test_what_the_caller_brings_along_is_done_when_they_come() -> None:
    room = Room(ann={"aura.persona": '{"voice": "eric", "instructions": "Obey."}', "aura.languages": "fr-FR,fr"})
    async with desk(room) as holder:
        await asyncio.sleep(1)
        assert holder.now["voice"] == "eric"
        assert holder.refusals == ["instructions: participants may not set it here"]
        assert holder.languages == ["fr-FR,fr"]


async def test_a_wish_that_cannot_be_is_shown_and_the_rest_is_done() -> None:
    room = Room(ann={"aura.persona": '{"voice": "bass", "proactive": false}'})
    async with desk(room) as holder:
        await asyncio.sleep(1)
        assert holder.refusals == ["voice: 'bass' is not served"]
        assert holder.now["proactive"] is False


async def test_only_the_caller_changes_the_agent_by_attributes() -> None:
    room = Room(ann={}, bob={})
    async with desk(room) as holder:
        room.changes("bob", persona='{"voice": "eric"}', languages="de")
        room.changes("ann", state="x")
        await asyncio.sleep(1)
        assert holder.changes == []
        assert holder.languages == []


async def test_an_attribute_that_stays_the_same_is_not_read_again() -> None:
    room = Room(ann={})
    async with desk(room) as holder:
        for _ in range(3):
            room.changes("ann", persona='{"voise": 1}')
            await asyncio.sleep(1)
        assert len(holder.refusals) == 1
