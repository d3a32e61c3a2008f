"""Machines on one cable: network namespaces with addresses of their own, and no way to any other network."""

import secrets
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.e2e.two_networks import need_namespaces, run


@dataclass(frozen=True, slots=True)
class Machine:
    """Attributes:
    network: Its namespace, to be entered with `ip netns exec`.
    """

    address: str
    network: str

    def inside(self, *argv: str) -> list[str]:
        """The command at that machine."""
        return ["ip", "netns", "exec", self.network, *argv]


@contextmanager
def bridged(addresses: Sequence[str]) -> Iterator[tuple[Machine, ...]]:
    """A machine for each address of one /24, for as long as the context lasts."""
    need_namespaces()
    mark = secrets.token_hex(2)
    switch = f"aura-b{mark}"
    machines = tuple(Machine(address, f"aura-m{mark}{at}") for at, address in enumerate(addresses))
    try:
        run("ip", "netns", "add", switch)
        run("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", switch, "link", "set", "bridge", "up")
        for at, machine in enumerate(machines):
            name, port = machine.network, f"port{at}"
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "link", "add", port, "netns", switch, "type", "veth", "peer", "cable", "netns", name)
            run("ip", "-n", switch, "link", "set", port, "master", "bridge", "up")
            run("ip", "-n", name, "addr", "add", f"{machine.address}/24", "dev", "cable")
            run("ip", "-n", name, "link", "set", "cable", "up")
        yield machines
    finally:
        for name in (*(machine.network for machine in machines), switch):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
