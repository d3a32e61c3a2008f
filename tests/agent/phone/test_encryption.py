"""What LiveKit is told of the encryption of calls, and by what a call that came over TLS is known."""

import pytest
from livekit import api

from agent.phone.dial import _request
from agent.phone.trunks import VIA, _trunk, over_tls
from agent.settings.agent import LiveKitSettings
from agent.settings.phone import Encryption
from agent.settings.trunk import DialSettings, TrunkSettings

LIVEKIT = LiveKitSettings("ws://127.0.0.1:9", "key", "a secret of no less than 32 letters", "aura")
LEVELS: tuple[tuple[Encryption, int], ...] = (
    ("none", api.SIP_MEDIA_ENCRYPT_DISABLE),
    ("allow", api.SIP_MEDIA_ENCRYPT_ALLOW),
    ("require", api.SIP_MEDIA_ENCRYPT_REQUIRE),
)


@pytest.mark.parametrize(("encryption", "expected"), LEVELS)
def test_who_calls_in_meets_the_srtp_that_was_asked_for(encryption: Encryption, expected: int) -> None:
    trunk = _trunk(
        TrunkSettings(LIVEKIT, ("100",), (), "aura", "secret", encryption=encryption), "aura phone", ("100",)
    )
    assert trunk.media.encryption == expected
    assert dict(trunk.headers_to_attributes) == ({"Via": VIA} if encryption == "require" else {})


@pytest.mark.parametrize(("encryption", "expected"), LEVELS)
def test_who_is_rung_up_over_tls_is_offered_the_srtp_that_was_asked_for(encryption: Encryption, expected: int) -> None:
    asked = DialSettings(LIVEKIT, "sip.example:5061", "1", "", "", transport="tls", encryption=encryption)
    request = _request(asked, "15550100", "phone_out_1")
    assert (request.trunk.hostname, request.trunk.transport) == ("sip.example:5061", api.SIP_TRANSPORT_TLS)
    assert request.media.encryption == expected


def test_without_a_transport_the_bridge_chooses() -> None:
    request = _request(DialSettings(LIVEKIT, "sip.example", "1", "", ""), "15550100", "phone_out_1")
    assert (request.trunk.transport, request.media.encryption) == (
        api.SIP_TRANSPORT_AUTO,
        api.SIP_MEDIA_ENCRYPT_DISABLE,
    )


@pytest.mark.parametrize(
    ("via", "expected"),
    [
        ("SIP/2.0/TLS 192.0.2.1:5061;branch=z9hG4bK1", True),
        ("sip/2.0/tls 192.0.2.1", True),
        ("SIP/2.0/UDP 192.0.2.1;alias=SIP/2.0/TLS", False),
        ("SIP/2.0/TCP tls:5060", False),
        ("", False),
    ],
)
def test_a_call_that_came_over_tls_says_so_in_its_first_via(via: str, expected: bool) -> None:
    assert over_tls(via) == expected
