"""Finds ports of this machine that nobody has."""

import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

LOOPBACK = "127.0.0.1"
HANDED_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")  # to connections that go out, on Linux
LOWEST = 15_000
TRIES = 1_000


def free_ports(count: int, handed_out: Path = HANDED_OUT) -> list[int]:
    """So many for TCP, on which nothing listens just now.

    Args:
        handed_out: Holds the lowest port that the kernel hands out, and the highest.
    """
    candidates = quiet_ports(handed_out)
    with ExitStack() as held:
        found: list[int] = []
        for _ in range(count):
            probe = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.append(bind_free(probe, LOOPBACK, candidates))
            probe.listen()
        return found


def bind_free(listener: socket.socket, host: str, candidates: Iterator[int]) -> int:
    """Bind a socket to the first of the candidates that is free, or else to what the kernel chooses; returns the port.

    Raises:
        OSError: The host is none of this machine.
    """
    for port in candidates:
        try:
            listener.bind((host, port))
        except OSError:
            continue
        return port
    listener.bind((host, 0))
    return int(listener.getsockname()[1])


def quiet_ports(handed_out: Path = HANDED_OUT) -> Iterator[int]:
    """Ports in any order below those that the kernel hands out to connections.

    One of these could be gone before the server that is to listen on it has started.
    """
    try:
        highest = int(handed_out.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return iter(())
    ports = range(LOWEST, highest)
    return iter(random.sample(ports, min(TRIES, len(ports))))
