"""What the environment says of phones."""

from pathlib import Path

import pytest

from agent.settings.environment import EnvironmentReader, SettingsError
from agent.settings.phone import PhoneSettings, phone_settings
from agent.settings.trunk import dial_settings, trunk_settings

LIVEKIT = {
    "LIVEKIT_URL": "ws://127.0.0.1:7880",
    "LIVEKIT_API_KEY": "key",
    "LIVEKIT_API_SECRET": "secret",
    "AURA_AGENT_NAME": "aura",
}


def test_without_a_word_calls_are_limited_and_nobody_is_put_through() -> None:
    assert phone_settings(EnvironmentReader({})) == PhoneSettings(None, "", longest_s=1_800, at_once=2, per_minute=6)


def test_an_apology_that_was_never_rendered_is_none(tmp_path: Path) -> None:
    path = tmp_path / "apology.wav"
    assert phone_settings(EnvironmentReader({"AURA_SIP_APOLOGY": str(path)})).apology is None
    path.touch()
    assert phone_settings(EnvironmentReader({"AURA_SIP_APOLOGY": str(path)})).apology == path


def test_numbers_and_addresses_are_lists() -> None:
    known = {**LIVEKIT, "AURA_SIP_USER": "aura", "AURA_SIP_PASSWORD": "secret"}
    settings = trunk_settings({**known, "AURA_SIP_NUMBERS": "+15550100, 200", "AURA_SIP_ADDRESSES": "10.0.0.0/8"})
    assert (settings.numbers, settings.addresses) == (("+15550100", "200"), ("10.0.0.0/8",))
    assert (trunk_settings(known).numbers, trunk_settings(known).addresses) == (("100",), ("127.0.0.1/32",))
    assert "secret" not in repr(settings)


def test_a_trunk_without_a_password_is_refused_by_name() -> None:
    with pytest.raises(SettingsError) as refused:
        trunk_settings(LIVEKIT)
    assert refused.value.faults == ["AURA_SIP_USER is not set", "AURA_SIP_PASSWORD is not set"]


def test_who_rings_up_needs_a_carrier_and_a_number_to_show() -> None:
    with pytest.raises(SettingsError) as refused:
        dial_settings(LIVEKIT)
    assert refused.value.faults == ["AURA_SIP_CARRIER is not set", "AURA_SIP_CALLER_ID is not set"]


def test_calls_are_encrypted_as_is_said_and_nothing_else_is_understood() -> None:
    known = {**LIVEKIT, "AURA_SIP_USER": "aura", "AURA_SIP_PASSWORD": "secret"}
    assert (trunk_settings(known).encryption, phone_settings(EnvironmentReader({})).encryption) == ("none", "none")
    for said in ("none", "allow", "require"):
        told = {"AURA_SIP_ENCRYPTION": said}
        assert trunk_settings(known | told).encryption == said
        assert phone_settings(EnvironmentReader(told)).encryption == said
    with pytest.raises(SettingsError) as refused:
        trunk_settings({**known, "AURA_SIP_ENCRYPTION": "on"})
    assert refused.value.faults == ["AURA_SIP_ENCRYPTION is `on`; there is: none, allow, require"]


@pytest.mark.parametrize(
    ("carrier", "said", "expected"),
    [
        ("sip.example", "", ("sip.example", "", "none")),
        ("192.0.2.1:5060;transport=tcp", "allow", ("192.0.2.1:5060", "tcp", "none")),
        ("sip.example:5061;transport=tls", "", ("sip.example:5061", "tls", "require")),
        ("sip.example;transport=tls", "require", ("sip.example", "tls", "require")),
        ("sip.example;transport=tls", "allow", ("sip.example", "tls", "allow")),
        ("sip.example;transport=tls", "none", ("sip.example", "tls", "none")),
    ],
)
def test_over_tls_the_sound_is_encrypted_unless_the_opposite_is_said(
    carrier: str, said: str, expected: tuple[str, str, str]
) -> None:
    told = {"AURA_SIP_CARRIER": carrier, "AURA_SIP_CALLER_ID": "1", "AURA_SIP_ENCRYPTION": said}
    settings = dial_settings({**LIVEKIT, **told})
    assert (settings.carrier, settings.transport, settings.encryption) == expected


@pytest.mark.parametrize(
    ("carrier", "said", "fault"),
    [
        ("sip.example", "require", "AURA_SIP_CARRIER is `sip.example`, and calls are encrypted here"),
        ("sip.example;transport=tcp", "require", "and calls are encrypted here (AURA_SIP_ENCRYPTION is require)"),
        ("sip:sip.example", "", "AURA_SIP_CARRIER is `sip:sip.example`, and not HOST or HOST:PORT"),
        ("sip.example:99999;transport=tls", "", "AURA_SIP_CARRIER is `sip.example:99999;transport=tls`, and not HOST"),
        ("sip.example;transport=dtls", "", "with ;transport=tls behind it for TLS"),
    ],
)
def test_a_carrier_that_cannot_be_rung_up_as_is_said_is_refused_by_name(carrier: str, said: str, fault: str) -> None:
    told = {"AURA_SIP_CARRIER": carrier, "AURA_SIP_CALLER_ID": "1", "AURA_SIP_ENCRYPTION": said}
    with pytest.raises(SettingsError) as refused:
        dial_settings({**LIVEKIT, **told})
    (only,) = refused.value.faults
    assert fault in only


def test_who_vouches_for_the_carrier_is_read_as_the_bridge_was_told() -> None:
    told = {"AURA_SIP_CARRIER": "sip.example;transport=tls", "AURA_SIP_CALLER_ID": "15550100"}
    assert dial_settings({**LIVEKIT, **told}).carrier_root is None
    assert dial_settings({**LIVEKIT, **told, "AURA_SIP_CARRIER_ROOT": "/srv/root.pem"}).carrier_root == Path(
        "/srv/root.pem"
    )
