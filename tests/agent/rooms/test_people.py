"""Who is who in a room, and whose room it is."""

import pytest
from livekit import api, rtc

from agent.rooms.people import Occupant, Role, at_server, company, in_room, one_caller
from tests.agent.rooms.test_presence import person

ANN, BEN = Occupant("ann", "person"), Occupant("ben", "person")
PHONE = Occupant("sip_1", "phone")
OURS, OTHER = Occupant("agent-1", "agent"), Occupant("bot", "agent")
RECORDER, STREAM = Occupant("egress", "recorder"), Occupant("obs", "stream")


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("STANDARD", "person"),
        ("CONNECTOR", "person"),
        ("SIP", "phone"),
        ("AGENT", "agent"),
        ("EGRESS", "recorder"),
        ("INGRESS", "stream"),
        ("BRIDGE", "stream"),
    ],
)
def test_the_room_and_the_server_agree_though_they_number_kinds_differently(kind: str, role: Role) -> None:
    there = person("x", rtc.ParticipantKind.Value(f"PARTICIPANT_KIND_{kind}"))
    listed = api.ParticipantInfo(identity="x", kind=kind)
    assert in_room(there) == at_server(listed) == Occupant("x", role)


@pytest.mark.parametrize(
    ("there", "kept"),
    [
        ([OURS, ANN], False),
        ([OURS, PHONE], False),
        ([OURS, ANN, RECORDER], False),
        ([OURS], False),
        ([], False),
        ([OURS, ANN, BEN], True),
        ([OURS, ANN, PHONE], True),
        ([OURS, ANN, OTHER], True),
        ([OURS, OTHER], True),
        ([OURS, ANN, STREAM], True),
    ],
)
def test_a_room_is_left_to_whoever_is_neither_our_agent_nor_its_caller(there: list[Occupant], kept: bool) -> None:
    assert company(there, "agent-1", one_caller(there)) is kept


def test_whoever_is_there_when_nobody_should_be_keeps_the_room() -> None:
    assert company([OURS, ANN], "agent-1")
    assert not company([OURS, RECORDER], "agent-1")
