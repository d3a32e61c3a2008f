"""Names the process that holds a port, from the tables in /proc."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Transport = Literal["tcp", "udp"]
LISTENING = {"tcp": "0A", "udp": "07"}  # states of a bound socket: include/net/tcp_states.h


@dataclass(frozen=True, slots=True)
class PortHolder:
    """Names a process that holds a port."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"pid {self.pid} ({self.command})"


def holder_of(port: int, transport: Transport, proc: Path = Path("/proc")) -> PortHolder | None:
    """Finds who holds a port; None if nobody does, or someone whom we may not look at."""
    inodes: set[str] = set()
    for table in (transport, f"{transport}6"):
        path = proc / "net" / table
        if path.exists():
            inodes |= set(bound_inodes(path.read_text().splitlines()[1:], port, LISTENING[transport]))
    links = {f"socket:[{inode}]" for inode in inodes}
    for process in proc.iterdir():
        if process.name.isdigit() and any(link in links for link in _open_files(process)):
            return PortHolder(int(process.name), _command(process))
    return None


def bound_inodes(lines: Iterable[str], port: int, state: str) -> Iterator[str]:
    """Yields the inodes of the sockets bound to a port, from lines of /proc/net/{tcp,udp}[6]."""
    for line in lines:
        _, local, _, found, *rest = line.split()
        if int(local.rpartition(":")[2], 16) == port and found == state:
            yield rest[5]


def _open_files(process: Path) -> Iterator[str]:
    try:
        for link in (process / "fd").iterdir():
            yield str(link.readlink())
    except OSError:
        return


def _command(process: Path) -> str:
    words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
    return " ".join(word.rpartition("/")[2] for word in words).strip()[:80]
