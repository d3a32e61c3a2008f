"""Ports that nobody has."""

import socket
from pathlib import Path

from infra.free_ports import LOWEST, free_ports, quiet_ports


def handed_out(folder: Path, lowest: int) -> Path:
    (file := folder / "ip_local_port_range").write_text(f"{lowest}\t60999\n")
    return file


def test_no_connection_is_handed_a_free_port(tmp_path: Path) -> None:
    ports = free_ports(50, handed_out(tmp_path, LOWEST + 5_000))
    assert len(set(ports)) == 50
    assert all(LOWEST <= port < LOWEST + 5_000 for port in ports)


def test_a_port_on_which_somebody_listens_is_not_free(tmp_path: Path) -> None:
    two = handed_out(tmp_path, LOWEST + 2)
    (first,) = free_ports(1, two)
    with socket.socket() as server:
        server.bind(("127.0.0.1", first))
        server.listen()
        ports = free_ports(3, two)
    assert first not in ports
    assert len(set(ports)) == 3, "the kernel is asked where there are too few"


def test_where_the_kernel_does_not_tell_it_is_asked_for_free_ones(tmp_path: Path) -> None:
    assert list(quiet_ports(tmp_path / "nowhere")) == []
    assert len(set(free_ports(5, tmp_path / "nowhere"))) == 5


def test_none_are_none() -> None:
    assert free_ports(0) == []
