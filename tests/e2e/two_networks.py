"""Two network namespaces with a cable between them. Nothing leaves the two: neither has a way to any other network.

A gate can stand in the caller's for a while: rules of nftables, for both directions, so that nothing which the server
sends opens a way back for what may not pass.
"""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

IPROUTE = {"ip": "iproute2"}  # a program, and the package that has it
GATED = {"nft": "nftables", "certutil": "libnss3-tools"}  # what callers behind a gate need besides
SERVER, CALLER, ANOTHER = "10.79.0.1", "10.79.0.2", "10.79.0.3"
OPEN = ""
ONLY_443 = """
table inet gate {
  chain out {
    type filter hook output priority 0; policy drop;
    oif lo accept
    ip daddr 10.79.0.1 tcp dport 443 accept
  }
  chain in {
    type filter hook input priority 0; policy drop;
    iif lo accept
    ip saddr 10.79.0.1 tcp sport 443 accept
  }
}
"""


@dataclass(frozen=True, slots=True)
class TwoNetworks:
    """Their names, to be entered with `ip netns exec`."""

    server: str
    caller: str

    def inside(self, network: str, *argv: str) -> list[str]:
        """The command in that network."""
        return ["ip", "netns", "exec", network, *argv]

    @contextmanager
    def gate(self, rules: str) -> Iterator[None]:
        """Rules that hold in the caller's network for as long as the context lasts."""
        nft = self.inside(self.caller, "nft")
        run(*nft, "-f", "-", told=rules)
        try:
            yield
        finally:
            run(*nft, "flush", "ruleset")


def need_namespaces(programs: Mapping[str, str] = IPROUTE) -> None:
    """Raises AssertionError that says what this machine lacks.

    Args:
        programs: What is needed, and the package that has it.
    """
    assert os.geteuid() == 0, "networks are made by root: run this test as root"
    for program, package in programs.items():
        assert shutil.which(program), f"{program} is missing; on Debian: apt-get install {package}"


@contextmanager
def two_networks() -> Iterator[TwoNetworks]:
    """For as long as the context lasts."""
    need_namespaces(IPROUTE | GATED)
    mark = secrets.token_hex(2)
    networks = TwoNetworks(f"aura-s{mark}", f"aura-c{mark}")
    here, there = f"as{mark}", f"ac{mark}"
    try:
        for name in (networks.server, networks.caller):
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        run(
            "ip", "link", "add", here, "netns", networks.server, "type", "veth", "peer", there, "netns", networks.caller
        )
        for name, end, address in ((networks.server, here, SERVER), (networks.caller, there, CALLER)):
            run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", end)
            run("ip", "-n", name, "link", "set", end, "up")
        yield networks
    finally:
        for name in (networks.server, networks.caller):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def run(*argv: str, told: str | None = None) -> None:
    ended = subprocess.run(argv, input=told, text=True, capture_output=True)
    assert ended.returncode == 0, f"{' '.join(argv)}: {ended.stderr}"
