"""What can go wrong between a fresh clone and a running stack; each message is one line with the way out.

LauncherError
├── BadUsage         an argument or a variable makes no sense
├── Missing          the machine lacks something; the message says how to get it
├── Offline          something must be fetched, and nothing can be reached
├── CommandFailed    a command of the set-up failed; carries the end of its log
├── PortTaken        a port that was asked for has another holder
└── ServiceFailed    a service of the stack died or never became healthy; carries the end of its log
"""

import errno
import os
from pathlib import Path

TAIL_LINES, TAIL_BYTES = 15, 64 * 1024
BAD_USAGE, STOPPED_BY_PERSON = 2, 130  # exit codes; any other failure has 1


class LauncherError(Exception):
    """Ends `infra/up`, `infra/down` or `infra/test` with its message."""


class BadUsage(LauncherError):
    """An argument or a variable makes no sense."""


class Missing(LauncherError):
    """The machine lacks something that this project cannot bring along."""


class Offline(LauncherError):
    """Something must be fetched, and nothing can be reached."""


class CommandFailed(LauncherError):
    """A command of the set-up ended with an error.

    Attributes:
        output: What the command wrote.
    """

    def __init__(self, name: str, code: int, log: Path, output: str) -> None:
        super().__init__(f"{name} failed with code {code}; the end of {log}:\n{tail(output)}")
        self.output = output


class PortTaken(LauncherError):
    """A port that was asked for has another holder."""


class ServiceFailed(LauncherError):
    """A service of the stack died, or was not healthy in time."""

    def __init__(self, name: str, what: str, log: Path) -> None:
        super().__init__(f"{name} {what}; the end of {log}:\n{tail(_end_of(log))}")


def leading_error(group: ExceptionGroup[Exception]) -> Exception:
    """The error of a task group that explains the others: the lack of a network before all else."""
    errors = [leading_error(e) if isinstance(e, ExceptionGroup) else e for e in group.exceptions]
    return min(errors, key=lambda error: not isinstance(error, Offline))


def in_a_line(error: Exception) -> str | None:
    """What a person is told of an error that ends a verb; None: it is a fault of ours, and Python says where."""
    match error:
        case LauncherError():
            return str(error)
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            return f"the disk is full{f' ({error.filename})' if error.filename else ''}: make room, and start again"
        case OSError(filename=str(), strerror=str()):
            return f"{error.filename}: {error.strerror}"
    return None


def _end_of(log: Path) -> str:
    """What is in its last bytes: it may be long, and somebody may have deleted it to make room."""
    try:
        with log.open("rb") as file:
            file.seek(-min(log.stat().st_size, TAIL_BYTES), os.SEEK_END)
            return file.read().decode(errors="replace")
    except OSError as error:
        return f"({error.strerror})"


def tail(text: str) -> str:
    """The last lines of a text, indented."""
    return "\n".join(f"    {line}" for line in text.splitlines()[-TAIL_LINES:]) or "    (nothing)"
