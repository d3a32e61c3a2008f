"""At which address phones are served, and whether calls are encrypted."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.web.outside.certificates import local_certificate
from infra.launcher.base.errors import BadUsage
from infra.launcher.base.settings import PhoneOptions
from infra.launcher.cli.arguments import read_settings

ROOT = Path("/checkout")
FOR_OTHERS = ("--host", "192.0.2.7", "--password")


def phone(*asked: str, **environ: str) -> PhoneOptions:
    found = read_settings(ROOT, ["up", "--phone", *asked], environ).phone
    assert found
    return found


def test_phones_stay_on_this_machine_unless_other_devices_are_served() -> None:
    assert phone() == PhoneOptions("127.0.0.1", "127.0.0.1", "127.0.0.1", addresses="127.0.0.1/32")
    assert phone().environ() == {"AURA_SIP_ADDRESSES": "127.0.0.1/32"}
    assert phone(*FOR_OTHERS, AURA_SIP_HOST="127.0.0.2") == phone(AURA_SIP_HOST="127.0.0.2")
    assert phone(AURA_SIP_HOST="127.0.0.2").host == "127.0.0.2"


def test_for_other_devices_calls_are_encrypted_and_come_from_anywhere() -> None:
    there = phone(*FOR_OTHERS)
    assert there == PhoneOptions("192.0.2.7", "192.0.2.7", "192.0.2.7", True, "require", "0.0.0.0/0")
    assert there.environ() == {"AURA_SIP_ADDRESSES": "0.0.0.0/0", "AURA_SIP_ENCRYPTION": "require"}
    assert phone(*FOR_OTHERS, AURA_SIP_HOST="192.0.2.7") == there


def test_behind_nat_the_bridge_listens_where_the_page_does() -> None:
    there = phone(*FOR_OTHERS, "--listen", "10.0.0.4")
    assert (there.host, there.address, there.listens_on) == ("192.0.2.7", "192.0.2.7", "10.0.0.4")


def test_who_may_call_and_whether_that_is_encrypted_can_be_said() -> None:
    there = phone(*FOR_OTHERS, AURA_SIP_ADDRESSES="192.0.2.0/24", AURA_SIP_ENCRYPTION="allow")
    assert there.environ() == {"AURA_SIP_ADDRESSES": "192.0.2.0/24", "AURA_SIP_ENCRYPTION": "allow"}


def test_beyond_this_machine_calls_are_in_the_clear_only_if_that_is_said() -> None:
    assert phone(AURA_SIP_HOST="192.0.2.1", AURA_SIP_ENCRYPTION="none").listens_on == "192.0.2.1"
    with pytest.raises(BadUsage, match=r"AURA_SIP_HOST is 192\.0\.2\.1, and calls would be in the clear: use --host"):
        phone(AURA_SIP_HOST="192.0.2.1")


@pytest.mark.parametrize(
    ("asked", "environ", "fault"),
    [
        ((), {"AURA_SIP_ENCRYPTION": "yes"}, "AURA_SIP_ENCRYPTION is `yes`; there is: none, allow, require"),
        ((), {"AURA_SIP_ENCRYPTION": "require"}, "AURA_SIP_ENCRYPTION is require, for which SIP needs a certificate"),
        ((), {"AURA_SIP_ENCRYPTION": "allow"}, "AURA_SIP_ENCRYPTION is allow, for which SIP needs a certificate"),
        (
            FOR_OTHERS,
            {"AURA_SIP_HOST": "192.0.2.1"},
            r"AURA_SIP_HOST is 192\.0\.2\.1, and --host serves other devices at",
        ),
        ((), {"AURA_SIP_CARRIER_ROOT": "/no/root"}, "AURA_SIP_CARRIER_ROOT: /no/root cannot be read: No such file"),
        ((), {"AURA_SIP_CARRIER_ROOT": __file__}, r"AURA_SIP_CARRIER_ROOT: .*\.py holds no certificate in PEM"),
        ((*FOR_OTHERS, "--cert", "/no", "--key", "/no"), {}, "--cert: /no is no file"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(asked: tuple[str, ...], environ: dict[str, str], fault: str) -> None:
    with pytest.raises(BadUsage, match=fault):
        phone(*asked, **environ)


def test_the_carriers_root_is_a_file_wherever_the_parts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    local_certificate(tmp_path, ["aura.example"], datetime(2026, 1, 1, tzinfo=UTC))
    monkeypatch.chdir(tmp_path)
    assert phone(AURA_SIP_CARRIER_ROOT="root.pem").carrier_root == tmp_path / "root.pem"
