"""Certificates: a local authority that vouches for one host, and what is wrong with somebody's own."""

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from agent.web.outside.certificates import LIFETIME, RENEWED_WITH, certificate_faults, local_certificate

NOW = datetime(2026, 11, 24, tzinfo=UTC)
HOSTS = ("aura.lan", "192.0.2.7")


def root(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "root.pem").read_bytes())


def test_it_is_good_for_its_hosts_and_no_others(tmp_path: Path) -> None:
    made = local_certificate(tmp_path, HOSTS, NOW)
    for host in HOSTS:
        assert certificate_faults(made.certificate, made.key, host, NOW) == []
    (fault,) = certificate_faults(made.certificate, made.key, "other.lan", NOW)
    assert fault.endswith("is for aura.lan, 192.0.2.7, not for other.lan")
    shown = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    shown.verify_directly_issued_by(root(tmp_path))


def test_keys_are_their_owners_and_the_authority_is_limited(tmp_path: Path) -> None:
    local_certificate(tmp_path / "tls", HOSTS, NOW)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "tls").glob("*.key")}
    assert modes == {"root.key": 0o600, "server.key": 0o600}
    limits = root(tmp_path / "tls").extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical
    assert sorted(str(each.value) for each in limits.value.permitted_subtrees or ()) == ["192.0.2.7/32", "aura.lan"]
    assert [str(each.value) for each in limits.value.excluded_subtrees or ()] == ["::/0"]


def test_an_authority_for_an_address_vouches_for_no_name(tmp_path: Path) -> None:
    local_certificate(tmp_path, ["192.0.2.7"], NOW)
    limits = root(tmp_path).extensions.get_extension_for_class(x509.NameConstraints).value
    assert [each.value for each in limits.permitted_subtrees or () if isinstance(each, x509.DNSName)] == [
        "aura.invalid"
    ]


def test_devices_need_another_root_only_for_another_host(tmp_path: Path) -> None:
    first = local_certificate(tmp_path, HOSTS, NOW)
    kept, shown = root(tmp_path), first.certificate.read_bytes()
    local_certificate(tmp_path, HOSTS, NOW + timedelta(days=1))
    assert (root(tmp_path), first.certificate.read_bytes()) == (kept, shown)
    late = NOW + LIFETIME - RENEWED_WITH + timedelta(days=1)
    local_certificate(tmp_path, HOSTS, late)
    assert root(tmp_path) == kept and first.certificate.read_bytes() != shown
    local_certificate(tmp_path, ("other.lan", "192.0.2.7"), late)
    assert root(tmp_path) != kept


def test_two_installations_have_two_authorities(tmp_path: Path) -> None:
    for name in ("one", "two"):
        local_certificate(tmp_path / name, HOSTS, NOW)
    assert root(tmp_path / "one").public_key() != root(tmp_path / "two").public_key()


@pytest.mark.parametrize(
    ("when", "fault"),
    [
        (NOW + LIFETIME, "has expired, on 26 December 2027: get a new one"),
        (NOW - timedelta(days=1), "is not valid before"),
    ],
)
def test_one_out_of_time_is_told_in_words(tmp_path: Path, when: datetime, fault: str) -> None:
    made = local_certificate(tmp_path, HOSTS, NOW)
    assert any(fault in told for told in certificate_faults(made.certificate, made.key, "aura.lan", when))


def test_what_does_not_belong_together_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    one, two = (local_certificate(tmp_path / name, HOSTS, NOW) for name in ("one", "two"))
    assert certificate_faults(one.certificate, two.key, "aura.lan", NOW) == [
        f"--key: {two.key} is not the key of {one.certificate}"
    ]
    assert certificate_faults(one.key, one.key, "aura.lan", NOW) == [
        f"--cert: {one.key} cannot be read: it is no PEM file of that kind"
    ]
    (missing,) = certificate_faults(tmp_path / "no", one.key, "aura.lan", NOW)
    assert missing.endswith("No such file or directory")
