"""Which processes descend from one, from /proc: by the parent that each tells of.

The kernel's own lists of children may leave some out while others come or go. See proc(5), `children`.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LiveProcess:
    """What one process was when it was looked at.

    Attributes:
        began: Ticks of the system's clock.
        title: Its command line, or what it calls itself.
    """

    pid: int
    parent: int
    began: int
    title: str


def family(pid: int) -> list[LiveProcess]:
    """A process and all that descend from it, in the order in which they began."""
    everybody = sorted(_processes(), key=lambda process: process.began)
    found = {process.pid: process for process in everybody if process.pid == pid}
    grown = -1
    while grown < len(found):  # a number may have begun anew: a child's is not always the higher one
        grown = len(found)
        found |= {process.pid: process for process in everybody if process.parent in found}
    return sorted(found.values(), key=lambda process: process.began)


def _processes() -> Iterator[LiveProcess]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()  # a name may hold blanks
            title = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            yield LiveProcess(int(folder.name), int(fields[1]), int(fields[19]), title)
