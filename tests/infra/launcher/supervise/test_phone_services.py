"""What a stack with phones has more, and that its secrets stay with their owner."""

import shlex
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import PhoneOptions
from infra.launcher.supervise.for_others import ShownCertificate
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.phone_services import how_to_call, open_ports, sip_uri, write_phone_settings
from infra.launcher.supervise.ports import Ports
from infra.launcher.supervise.services import stack_services, write_livekit_settings

ROOT = Path(__file__).parents[4]
PORTS = Ports(
    web=1,
    pipeline=2,
    agent=3,
    livekit=4,
    livekit_tcp=5,
    livekit_udp=6,
    redis=7,
    sip=8,
    sip_health=9,
    turn=10,
    tls=11,
    trust=12,
    sip_tls=13,
)
HERE = PhoneOptions()
OUTSIDE = PhoneOptions("aura.example", "192.0.2.1", "10.0.0.4", tls=True, encryption="require", addresses="0.0.0.0/0")


def test_redis_starts_first_and_the_bridge_last(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:8")
    names = [part.name for part in stack_services(layout, PORTS, keys, None, phone=HERE)]
    assert names == ["redis", "livekit-server", "pipeline", "agent", "web", "livekit-sip"]
    names = [part.name for part in stack_services(layout, PORTS, keys, None, phone=None)]
    assert names == ["livekit-server", "pipeline", "agent", "web"]


def test_no_password_can_be_read_by_others_or_is_an_argument(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:8")
    write_livekit_settings(layout, PORTS, keys, phone=True)
    write_phone_settings(layout, PORTS, keys, HERE)
    for name in ("livekit.yaml", "sip.yaml", "redis.conf"):
        assert keys["AURA_REDIS_PASSWORD"] in (tmp_path / name).read_text()
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    arguments = " ".join(word for part in stack_services(layout, PORTS, keys, None, phone=HERE) for word in part.argv)
    assert not [name for name, key in keys.items() if "PASSWORD" in name and key in arguments]


def test_a_run_folder_may_have_spaces_in_its_name(tmp_path: Path) -> None:
    run = tmp_path / "my folder"
    layout, keys = Layout(ROOT, run, run), installation_keys(run / "env", sip_uri="sip:100@127.0.0.1:8")
    write_phone_settings(layout, PORTS, keys, HERE)
    settings = map(shlex.split, (run / "redis.conf").read_text().splitlines())
    assert ["dir", str(run)] in list(settings)


def test_a_stack_without_phones_knows_no_redis(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env")
    write_livekit_settings(layout, PORTS, keys, phone=False)
    assert "redis" not in (tmp_path / "livekit.yaml").read_text()
    assert not [name for name in keys if name.startswith("AURA_SIP")]


def test_what_to_dial_follows_the_listed_numbers_and_the_port(tmp_path: Path) -> None:
    assert sip_uri(PORTS, {}, HERE) == "sip:100@127.0.0.1:8"
    uri = sip_uri(PORTS, {"AURA_SIP_NUMBERS": " +15550100 , 200"}, HERE)
    assert uri == "sip:+15550100@127.0.0.1:8"
    assert sip_uri(PORTS, {}, PhoneOptions("192.0.2.1")) == "sip:100@192.0.2.1:8"
    assert sip_uri(PORTS, {}, OUTSIDE) == "sip:100@aura.example:13;transport=tls"
    first = installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:1")
    later = installation_keys(tmp_path / "env", sip_uri=uri)
    assert later == {**first, "AURA_SIP_URI": uri}


def test_the_bridge_listens_where_it_is_told_and_behind_nat_says_another_address(tmp_path: Path) -> None:
    assert bridge(tmp_path, HERE) == {"listen_ip": "127.0.0.1", "nat_1_to_1_ip": "127.0.0.1", "sip_port": 8}
    outside = bridge(tmp_path, OUTSIDE)
    assert (outside["listen_ip"], outside["nat_1_to_1_ip"]) == ("10.0.0.4", "192.0.2.1")


def test_for_others_the_bridge_speaks_tls_under_the_name_of_its_certificate(tmp_path: Path) -> None:
    outside = bridge(tmp_path, OUTSIDE)
    assert outside["sip_hostname"] == "aura.example"
    files = {"cert_file": "/a folder/server.pem", "key_file": "/a folder/server.key"}
    assert outside["tls"] == {"port": 13, "certs": [files], "min_version": "tls1.2"}


def test_the_bridge_trusts_the_carriers_root_and_no_other_if_one_is_named(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:8")
    for phone, roots in (
        (HERE, {}),
        (replace(HERE, carrier_root=Path("/root.pem")), {"SSL_CERT_FILE": "/root.pem", "SSL_CERT_DIR": "/dev/null"}),
    ):
        *_, part = stack_services(layout, PORTS, keys, None, phone=phone)
        pair = {name: keys[name] for name in ("LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")}
        assert (part.name, part.env) == ("livekit-sip", pair | roots)


def test_what_is_open_and_how_to_call_are_said_as_they_are(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), {"AURA_SIP_URI": "sip:100@aura.example:13;transport=tls"}
    told = f"; user and password are in {tmp_path / 'env'}"
    for options, how in (
        ({}, ""),
        ({"AURA_SIP_ENCRYPTION": "none"}, ""),
        ({"AURA_SIP_ENCRYPTION": "allow"}, ", over TLS, with SRTP if it can"),
        ({"AURA_SIP_ENCRYPTION": "require"}, ", over TLS and with SRTP"),
    ):
        assert how_to_call(layout, keys, options) == f"  dial {keys['AURA_SIP_URI']}{how}{told}"
    rest = "TCP port 9 (the bridge's health), and its RTP ports"
    assert open_ports(PORTS, HERE) == rest
    assert open_ports(PORTS, OUTSIDE) == f"TCP port 13 and UDP and TCP port 8 (SIP), {rest}"


def bridge(run: Path, phone: PhoneOptions) -> dict[str, Any]:
    """Of its settings, what is about the network."""
    layout, keys = Layout(ROOT, run, run), installation_keys(run / "env", sip_uri="sip:100@127.0.0.1:8")
    shown = ShownCertificate(Path("/a folder/server.pem"), Path("/a folder/server.key"))
    write_phone_settings(layout, PORTS, keys, phone, shown)
    told = yaml.safe_load((run / "sip.yaml").read_text())
    names = ("listen_ip", "nat_1_to_1_ip", "sip_port", "sip_hostname", "tls")
    return {name: told[name] for name in names if name in told}
