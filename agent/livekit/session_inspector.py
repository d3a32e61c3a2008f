"""LiveKit's session protocol, by which its tools look into a call and act in it: only for whom the token allows it."""

import contextlib

from livekit import rtc
from livekit.agents import AgentSession, utils
from livekit.agents.voice.remote_session import TOPIC_SESSION_MESSAGES, RoomSessionTransport, SessionHost
from livekit.protocol.agent_pb import agent_session


class InspectorTransport(RoomSessionTransport):
    """Carries the protocol to and from those in a room who may manage agent sessions (`canManageAgentSession`).

    LiveKit's own takes requests of anybody in the room, and sends everybody each event: the instructions, all that was
    said before somebody came, a mute switch, and questions in the caller's name.
    """

    async def send_message(self, msg: agent_session.AgentSessionMessage) -> None:
        room = self._room
        allowed = [one.identity for one in room.remote_participants.values() if may_manage(one)]
        if not allowed or not room.isconnected():
            return
        name = utils.shortuuid("AS_")
        async with self._send_lock:
            await room.local_participant.send_bytes(
                msg.SerializeToString(), name=name, topic=TOPIC_SESSION_MESSAGES, destination_identities=allowed
            )

    def _on_byte_stream(self, reader: rtc.ByteStreamReader, participant_identity: str) -> None:
        sender = self._room.remote_participants.get(participant_identity)
        if sender and may_manage(sender):
            super()._on_byte_stream(reader, participant_identity)


class SessionInspector:
    """Serves LiveKit's session protocol for one call."""

    def __init__(self, session: AgentSession[None], room: rtc.Room) -> None:
        self._host = SessionHost(InspectorTransport(room))
        self._host.register_session(session)

    async def start(self) -> None:
        """Begin; the room is connected."""
        await self._host.start()

    async def aclose(self) -> None:
        with contextlib.suppress(RuntimeError):  # the room is gone
            await self._host.aclose()


def may_manage(someone: rtc.RemoteParticipant) -> bool:
    return someone.permissions.can_manage_agent_session
