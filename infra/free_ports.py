"""Finds ports of this machine that nobody has."""

import random
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

LOOPBACK = "127.0.0.1"
HANDED_OUT = Path("/proc/sys/net/ipv4/ip_local_port_range")  # to connections that go out, on Linux
LOWEST = 15_000
TRIES = 1_000


def free_ports(count: int) -> list[int]:
    """So many for TCP, on which nothing listens just now.

    They lie below those that the kernel hands out to connections where there are enough: one of these could be gone
    before the server that is to listen on it has started.
    """
    with ExitStack() as held:
        found: list[int] = []
        for port in _candidates(TRIES):
            with suppress(OSError):
                held.enter_context(socket.create_server((LOOPBACK, port)))
                found.append(port)
            if len(found) == count:
                return found
        probes = [held.enter_context(socket.create_server((LOOPBACK, 0))) for _ in range(count - len(found))]
        return found + [int(probe.getsockname()[1]) for probe in probes]


def _candidates(most: int) -> list[int]:
    try:
        highest = int(HANDED_OUT.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return []
    ports = range(LOWEST, highest)
    return random.sample(ports, min(most, len(ports)))
