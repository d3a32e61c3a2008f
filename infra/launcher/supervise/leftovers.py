"""Finds the processes of one stack by a mark in their environment, whoever their parent is by now."""

import os
import signal
from contextlib import suppress
from pathlib import Path

MARK = "AURA_STACK"


def kill_leftovers(stack: str, mark: str = MARK) -> list[int]:
    """End every process that carries the mark of this stack.

    Args:
        stack: The stack's random name, given to its services as the environment variable `mark`.

    Returns:
        The pids that had to be killed.
    """
    found = leftovers(stack, mark)
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return found


def leftovers(stack: str, mark: str = MARK) -> list[int]:
    """The pids of all living processes that carry the mark, but for our own."""
    return [pid for pid in _pids() if pid != os.getpid() and carries(pid, stack, mark)]


def carries(pid: int, stack: str, mark: str = MARK) -> bool:
    """Whether a living process carries the mark of this stack."""
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return f"{mark}={stack}".encode() in environ.split(b"\0")


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
