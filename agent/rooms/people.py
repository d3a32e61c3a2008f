"""Who is who in a room: people and phones talk with the agent; other agents, streams and recorders do not."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from livekit import api, rtc

Role = Literal["person", "phone", "agent", "stream", "recorder"]

# The two sides of LiveKit number the kinds of participants differently.
IN_ROOM: Mapping[int, Role] = {
    rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD: "person",
    rtc.ParticipantKind.PARTICIPANT_KIND_CONNECTOR: "person",  # of a messenger, whose calls arrive as a browser's
    rtc.ParticipantKind.PARTICIPANT_KIND_SIP: "phone",
    rtc.ParticipantKind.PARTICIPANT_KIND_AGENT: "agent",
    rtc.ParticipantKind.PARTICIPANT_KIND_EGRESS: "recorder",
}
AT_SERVER: Mapping[int, Role] = {
    api.ParticipantInfo.STANDARD: "person",
    api.ParticipantInfo.CONNECTOR: "person",
    api.ParticipantInfo.SIP: "phone",
    api.ParticipantInfo.AGENT: "agent",
    api.ParticipantInfo.EGRESS: "recorder",
}


@dataclass(frozen=True, slots=True)
class Occupant:
    """Somebody or something is in a room."""

    identity: str
    role: Role

    @property
    def calls(self) -> bool:
        """Whether the agent may talk with them."""
        return self.role in ("person", "phone")


def in_room(participant: rtc.Participant) -> Occupant:
    """Return what a participant is, as the agent sees it in the room."""
    return Occupant(participant.identity, IN_ROOM.get(participant.kind, "stream"))


def at_server(participant: api.ParticipantInfo) -> Occupant:
    """Return what a participant is, as the server lists it."""
    return Occupant(participant.identity, AT_SERVER.get(participant.kind, "stream"))


def by_arrival(participants: Iterable[rtc.RemoteParticipant]) -> list[rtc.RemoteParticipant]:
    """Return them in the order in which they came."""
    return sorted(participants, key=_came)


def company(there: Iterable[Occupant], agent: str, caller: str = "") -> bool:
    """Return whether there is anybody but the agent and its caller: their room is not ours to end.

    A recorder has nobody to keep company: it goes with the room.
    """
    return any(one.identity not in (agent, caller) and one.role != "recorder" for one in there)


def one_caller(there: Iterable[Occupant]) -> str:
    """Return the identity of somebody who can be the agent's caller; empty: nobody can."""
    return next((one.identity for one in there if one.calls), "")


def _came(participant: rtc.RemoteParticipant) -> float:
    moment = participant.joined_at
    return moment.timestamp() if moment else 0.0
