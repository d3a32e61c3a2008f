"""What the services are told of other devices, and what people are."""

import re
import socket
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.launcher.base.errors import PortTaken
from infra.launcher.base.layout import Layout
from infra.launcher.base.settings import ForOthers
from infra.launcher.supervise.for_others import ShownCertificate, how_to_reach, web_environ
from infra.launcher.supervise.keys import installation_keys
from infra.launcher.supervise.ports import HTTPS, choose_ports
from infra.launcher.supervise.services import write_livekit_settings

ROOT = Path(__file__).parents[4]
OTHERS = ForOthers("aura.lan", "10.0.0.4", "10.0.0.4", password=True)
BEHIND_NAT = ForOthers("aura.example.org", "203.0.113.9", "10.0.0.4", password=True)
SHOWN = ShownCertificate(Path("server.pem"), Path("server.key"))


def livekit(run: Path, others: ForOthers | None, tls: int = HTTPS) -> dict[str, Any]:
    layout, ports = Layout(ROOT, run, run), replace(choose_ports({}), tls=tls)
    write_livekit_settings(layout, ports, {}, phone=False, others=others)
    return dict(yaml.safe_load((run / "livekit.yaml").read_text()))


def test_media_stay_on_this_machine_unless_others_are_served(tmp_path: Path) -> None:
    settings = livekit(tmp_path, None)
    assert settings["rtc"]["node_ip"] == "127.0.0.1" and settings["rtc"]["interfaces"] == {"includes": ["lo"]}
    assert "turn" not in settings


def test_others_reach_media_at_the_hosts_address_and_signalling_stays_here(tmp_path: Path) -> None:
    settings = livekit(tmp_path, OTHERS)
    assert settings["bind_addresses"] == ["127.0.0.1"]
    assert settings["rtc"]["node_ip"] == "10.0.0.4"
    assert settings["rtc"]["ips"]["includes"] == ["10.0.0.4/32"], "one socket for what is announced at that address"


def test_browsers_ask_nobody_else_for_their_address_unless_that_is_wanted(tmp_path: Path) -> None:
    for others, host in ((None, "127.0.0.1"), (OTHERS, "10.0.0.4"), (BEHIND_NAT, "203.0.113.9")):
        rtc = livekit(tmp_path, others)["rtc"]
        assert rtc["stun_servers"] == [f"{host}:9"], "an empty list has livekit-server name public ones"
    asked = replace(OTHERS, stun=("stun.example.org:3478",))
    assert livekit(tmp_path, asked)["rtc"]["stun_servers"] == ["stun.example.org:3478"]


def test_behind_nat_media_are_told_at_the_outer_address_and_bound_at_the_inner(tmp_path: Path) -> None:
    rtc = livekit(tmp_path, BEHIND_NAT)["rtc"]
    assert (rtc["node_ip"], rtc["ips"]["includes"]) == ("203.0.113.9", ["10.0.0.4/32"])


@pytest.mark.parametrize(("others", "tls"), [(OTHERS, 8443), (BEHIND_NAT, HTTPS)])
def test_there_is_no_turn_where_it_cannot_work(others: ForOthers, tls: int, tmp_path: Path) -> None:
    assert "turn" not in livekit(tmp_path, others, tls)
    ports = replace(choose_ports({}), tls=tls)
    assert web_environ(others, ports, SHOWN)["AURA_TURN_PORT"] == "0"
    assert web_environ(OTHERS, replace(ports, tls=HTTPS), SHOWN)["AURA_TURN_PORT"] == str(ports.turn)


def test_turn_relays_to_the_address_of_this_machine_and_nowhere_else(tmp_path: Path) -> None:
    turn = livekit(tmp_path, OTHERS)["turn"]
    assert (turn["bind_addresses"], turn["external_tls"], turn["domain"]) == (["127.0.0.1"], True, "aura.lan")
    *denied_v4, denied_v6 = turn["deny_peer_cidrs"]
    denied = list(map(IPv4Network, denied_v4))
    assert denied_v6 == "::/0"
    assert sum(net.num_addresses for net in denied) == 2**32 - 1
    assert not any(IPv4Address("10.0.0.4") in net for net in denied)
    assert turn["allow_restricted_peer_cidrs"] == ["10.0.0.4/32"]


def test_a_password_is_made_once_and_only_for_others(tmp_path: Path) -> None:
    assert "AURA_WEB_PASSWORD" not in installation_keys(tmp_path / "env")
    made = installation_keys(tmp_path / "env", password=True)["AURA_WEB_PASSWORD"]
    assert re.fullmatch(r"[0-9a-f]{4}(-[0-9a-f]{4}){3}", made)
    assert installation_keys(tmp_path / "env", password=True)["AURA_WEB_PASSWORD"] == made


def test_whoever_sits_here_is_told_the_password_and_a_log_is_not(tmp_path: Path) -> None:
    (tmp_path / "tls").mkdir()
    (tmp_path / "tls" / "root.sha256").write_text("AA:BB\n")
    layout, options = Layout(ROOT, tmp_path, tmp_path), {"--host": "aura.lan", "--password": ""}
    options |= {"AURA_TLS_PORT": "443", "AURA_TRUST_PORT": "80"}
    options |= {"AURA_LIVEKIT_UDP_PORT": "7882", "AURA_LIVEKIT_TCP_PORT": "7881"}
    keys = {"AURA_WEB_PASSWORD": "1234-secret"}
    shown, logged = (how_to_reach(layout, options, keys, show=show) for show in (True, False))
    assert "https://aura.lan/" in shown and "http://aura.lan/" in shown and "AA:BB" in shown
    assert "1234-secret" in shown and "1234-secret" not in logged and "AURA_WEB_PASSWORD" in logged
    assert "TURN" not in logged
    for other in ({"AURA_TLS_PORT": "8443"}, {"--listen": "10.0.0.4"}):
        assert "UDP port 7882 or TCP port 7881" in how_to_reach(layout, {**options, **other}, keys, show=False)


def test_an_address_of_another_machine_is_told_with_the_way_out() -> None:
    with pytest.raises(PortTaken, match=r"192\.0\.2\.7 is no address of this machine: .* with --listen"):
        choose_ports({"tls": 8443}, "192.0.2.7")


def test_a_port_for_others_that_is_taken_is_named_with_its_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} \(AURA_TLS_PORT\) is held by pid"):
            choose_ports({"tls": port}, "127.0.0.1")
