"""Finds ports of this machine that nobody has."""

import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """So many for TCP, on which nothing listens just now."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.create_server((LOOPBACK, 0))) for _ in range(count)]
        return [int(probe.getsockname()[1]) for probe in probes]
