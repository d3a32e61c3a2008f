"""LiveKit's session protocol is spoken with those whose token allows it, and with nobody else."""

from types import SimpleNamespace
from typing import Any

import pytest
from livekit.agents.voice.remote_session import TOPIC_SESSION_MESSAGES
from livekit.protocol.agent_pb import agent_session

from agent.livekit.session_inspector import InspectorTransport

pytestmark = pytest.mark.anyio

EVENT = agent_session.AgentSessionMessage(event=agent_session.AgentSessionEvent())


class Watched:
    """A room with people of whom some may manage agent sessions; keeps what is sent to whom."""

    def __init__(self, **may: bool) -> None:
        self.remote_participants = {
            name: SimpleNamespace(identity=name, permissions=SimpleNamespace(can_manage_agent_session=allowed))
            for name, allowed in may.items()
        }
        self.local_participant = self
        self.sent: list[tuple[str, list[str]]] = []
        self.connected = True

    def isconnected(self) -> bool:
        return self.connected

    def register_byte_stream_handler(self, topic: str, take: Any) -> None:
        self.take = take

    def unregister_byte_stream_handler(self, topic: str) -> None:
        """Nothing comes any more."""

    async def send_bytes(self, data: bytes, name: str, topic: str, destination_identities: list[str]) -> None:
        assert agent_session.AgentSessionMessage.FromString(data) == EVENT
        self.sent.append((topic, destination_identities))


async def reader(data: bytes) -> Any:
    yield data


@pytest.mark.parametrize(
    ("may", "sent"),
    [({"ann": False, "tool": True, "other": True}, [["tool", "other"]]), ({"ann": False}, []), ({}, [])],
)
async def test_what_happens_in_a_call_is_told_only_whom_the_token_allows(
    may: dict[str, bool], sent: list[list[str]]
) -> None:
    room: Any = Watched(**may)
    await InspectorTransport(room).send_message(EVENT)
    assert room.sent == [(TOPIC_SESSION_MESSAGES, those) for those in sent]


async def test_a_room_that_is_gone_is_told_nothing() -> None:
    room: Any = Watched(tool=True)
    room.connected = False
    await InspectorTransport(room).send_message(EVENT)
    assert room.sent == []


async def test_what_a_stranger_asks_is_not_even_read() -> None:
    room: Any = Watched(ann=False, tool=True)
    transport = InspectorTransport(room)
    await transport.start()
    for sender in ("ann", "nobody", "tool"):
        request = agent_session.SessionRequest(request_id=sender)
        room.take(reader(agent_session.AgentSessionMessage(request=request).SerializeToString()), sender)
    assert (await anext(aiter(transport))).request.request_id == "tool"
    await transport.close()
