"""What a stack with phones has more, and that its secrets stay with their owner."""

import stat
from pathlib import Path

from infra.launcher.base.layout import Layout
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.phone_services import sip_uri, write_phone_settings
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
)


def test_redis_starts_first_and_the_bridge_last(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:8")
    names = [part.name for part in stack_services(layout, PORTS, keys, None, phone=True)]
    assert names == ["redis", "livekit-server", "pipeline", "agent", "web", "livekit-sip"]
    names = [part.name for part in stack_services(layout, PORTS, keys, None, phone=False)]
    assert names == ["livekit-server", "pipeline", "agent", "web"]


def test_no_password_can_be_read_by_others_or_is_an_argument(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:8")
    write_livekit_settings(layout, PORTS, keys, phone=True)
    write_phone_settings(layout, PORTS, keys, {})
    for name in ("livekit.yaml", "sip.yaml", "redis.conf"):
        assert keys["AURA_REDIS_PASSWORD"] in (tmp_path / name).read_text()
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    arguments = " ".join(word for part in stack_services(layout, PORTS, keys, None, phone=True) for word in part.argv)
    assert not [name for name, key in keys.items() if "PASSWORD" in name and key in arguments]


def test_a_stack_without_phones_knows_no_redis(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env")
    write_livekit_settings(layout, PORTS, keys, phone=False)
    assert "redis" not in (tmp_path / "livekit.yaml").read_text()
    assert not [name for name in keys if name.startswith("AURA_SIP")]


def test_what_to_dial_follows_the_listed_numbers_and_the_port(tmp_path: Path) -> None:
    assert sip_uri(PORTS, {}) == "sip:100@127.0.0.1:8"
    uri = sip_uri(PORTS, {"AURA_SIP_NUMBERS": " +15550100 , 200"})
    assert uri == "sip:+15550100@127.0.0.1:8"
    assert sip_uri(PORTS, {"AURA_SIP_HOST": "192.0.2.1"}) == "sip:100@192.0.2.1:8"
    first = installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:1")
    later = installation_keys(tmp_path / "env", sip_uri=uri)
    assert later == {**first, "AURA_SIP_URI": uri}


def test_the_bridge_listens_on_this_machine_only_unless_an_address_is_named(tmp_path: Path) -> None:
    layout, keys = Layout(ROOT, tmp_path, tmp_path), installation_keys(tmp_path / "env", sip_uri="sip:100@127.0.0.1:8")
    for environ, host in (({}, "127.0.0.1"), ({"AURA_SIP_HOST": "192.0.2.1"}, "192.0.2.1")):
        write_phone_settings(layout, PORTS, keys, environ)
        assert f"listen_ip: {host}\nnat_1_to_1_ip: {host}\n" in (tmp_path / "sip.yaml").read_text()
