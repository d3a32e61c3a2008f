"""Ports: free ones, those asked for, and who holds one."""

import os
import socket
from dataclasses import astuple

import pytest

from infra.launcher.base.errors import LauncherError, PortTaken
from infra.launcher.supervise.ports import VARIABLES, asked_ports, choose_ports
from pipeline.cli.port_holder import bound_inodes, holder_of


def test_free_ports_are_all_different() -> None:
    assert len(set(astuple(choose_ports({})))) == 13


def test_a_port_that_was_asked_for_is_used() -> None:
    free = choose_ports({}).web
    assert choose_ports({"web": free}).web == free


def test_a_taken_port_is_named_with_its_variable_and_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} \(AURA_PORT\) is held by pid {os.getpid()} \(.*python"):
            choose_ports({"web": port})


def test_a_taken_udp_port_is_named_too() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        with pytest.raises(PortTaken, match=rf"AURA_LIVEKIT_UDP_PORT\) is held by pid {os.getpid()}"):
            choose_ports({"livekit_udp": server.getsockname()[1]})


def test_nobody_holds_a_free_port() -> None:
    assert holder_of(choose_ports({}).web, "tcp") is None


def test_only_listening_sockets_hold_a_port() -> None:
    lines = [
        "0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4242 1 x",
        "1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000 0 0 4243 1 x",
        "2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4244 1 x",
    ]
    assert list(bound_inodes(lines, 8080, "0A")) == ["4242"]


@pytest.mark.parametrize("value", ["x", "0", "65536", "-1"])
def test_what_is_no_port_is_refused_by_name(value: str) -> None:
    with pytest.raises(LauncherError, match="AURA_AGENT_PORT"):
        asked_ports({"AURA_AGENT_PORT": value})


def test_an_empty_variable_asks_for_nothing() -> None:
    assert asked_ports({"AURA_PORT": "", "AURA_PIPELINE_PORT": "7000"}) == {"pipeline": 7000}


@pytest.mark.parametrize("name", ["livekit_tcp", "sip_health", "trust", "sip", "sip_tls"])
def test_who_asks_for_the_port_of_the_page_for_other_devices_is_told(name: str) -> None:
    """A socket that does not listen yet may share a port; servers cannot."""
    with pytest.raises(PortTaken, match=rf"{VARIABLES[name]} is 443, the port of the page .*, or AURA_TLS_PORT"):
        choose_ports({name: 443}, "127.0.0.1")
    free = choose_ports({}).tls
    assert choose_ports({name: free, "tls": choose_ports({}).web}, "127.0.0.1").tls != free


def test_a_usual_port_is_left_to_who_asks_for_it() -> None:
    ports = choose_ports({"sip": 5061, "tls": choose_ports({}).tls}, "127.0.0.1")
    assert (ports.sip, ports.sip_tls) != (5061, 5061)
    assert choose_ports({"web": 5061, "tls": ports.tls}, "127.0.0.2").sip_tls == 5061, "that is at another address"


def test_two_parts_cannot_ask_for_one_port() -> None:
    with pytest.raises(LauncherError, match="AURA_PIPELINE_PORT and AURA_PORT are both 4711"):
        asked_ports({"AURA_PORT": "4711", "AURA_PIPELINE_PORT": "4711"})
