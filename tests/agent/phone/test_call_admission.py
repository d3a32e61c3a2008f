"""Whether a call is taken. Nobody answers for the LiveKit server here, so that whoever is asked about is refused."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from livekit import api
from livekit.agents import JobRequest

from agent.phone.call_admission import IN_THE_CLEAR, CallAdmission
from agent.phone.trunks import VIA
from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.agent import LiveKitSettings
from agent.settings.phone import Encryption, PhoneSettings
from agent.status.attributes import MARK
from tests.agent.rooms.test_failover import FOREIGN, FOREIGN_IDS

NOBODY = LiveKitSettings("ws://127.0.0.1:9", "key", "a secret of no less than 32 letters", "aura")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Real time: a socket is opened."""
    return "asyncio", {}


@dataclass
class Named:
    """A room, or a job with its metadata."""

    name: str = ""
    metadata: str = ""


@dataclass
class Request:
    """Remembers how it was answered."""

    room: Named
    job: Named
    answers: list[str] = field(default_factory=list)

    async def accept(self, *, name: str, attributes: dict[str, str]) -> None:
        assert attributes[MARK]
        self.answers.append("accepted")

    async def reject(self) -> None:
        self.answers.append("rejected")


async def answered(room: str, metadata: str) -> list[str]:
    request = Request(Named(room), Named(metadata=metadata))
    admission = CallAdmission(NOBODY, PhoneSettings())
    await admission.answer(cast(JobRequest, request))
    await admission.settled()
    return request.answers


@pytest.mark.parametrize("metadata", FOREIGN, ids=FOREIGN_IDS)
@pytest.mark.parametrize("room", ["phone_100_x", "unlisted_x"])
async def test_a_phone_call_is_asked_about_whatever_its_dispatch_was_given_along(room: str, metadata: str) -> None:
    assert await answered(room, metadata) == ["rejected"]


async def test_a_phone_call_that_goes_on_after_a_death_is_taken() -> None:
    assert await answered("phone_100_x", FailoverMetadata("token").metadata()) == ["accepted"]


async def test_who_comes_with_a_token_is_taken() -> None:
    assert await answered("a room", '{"tenant": 7}') == ["accepted"]


class Rooms:
    """A LiveKit server with one room, in which one phone is that came so."""

    def __init__(self, via: str | None) -> None:
        attributes = {} if via is None else {VIA: via}
        self._caller = api.ParticipantInfo(identity="sip_1", kind=api.ParticipantInfo.SIP, attributes=attributes)
        self.room = self

    async def list_participants(self, _: api.ListParticipantsRequest) -> api.ListParticipantsResponse:
        return api.ListParticipantsResponse(participants=[self._caller])

    async def list_rooms(self, _: api.ListRoomsRequest) -> api.ListRoomsResponse:
        return api.ListRoomsResponse(rooms=[])


@pytest.mark.parametrize(
    ("encryption", "room", "via", "expected"),
    [
        ("require", "phone_100_x", "SIP/2.0/TLS 192.0.2.1:5061;branch=z", ""),
        ("require", "phone_100_x", "SIP/2.0/UDP 192.0.2.1:5060;branch=z", IN_THE_CLEAR),
        ("require", "phone_100_x", None, IN_THE_CLEAR),
        ("require", "phone_out_x", None, ""),
        ("allow", "phone_100_x", None, ""),
        ("none", "phone_100_x", None, ""),
    ],
)
async def test_who_did_not_come_over_tls_is_refused_where_that_is_required(
    encryption: Encryption, room: str, via: str | None, expected: str
) -> None:
    admission = CallAdmission(NOBODY, PhoneSettings(encryption=encryption))
    assert await admission._of_caller(cast(api.LiveKitAPI, Rooms(via)), room) == expected
