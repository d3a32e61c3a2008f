"""At most one stack a run folder: the launcher locks the folder, and the kernel ends the lock with the launcher."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec


class LockOwner(msgspec.Struct, frozen=True):
    """Who runs, or last ran, a stack here.

    Attributes:
        pid: The launcher.
        stack: The random name that its services carry in their environment.
    """

    pid: int
    stack: str


class RunFolderLocked(Exception):
    """Another launcher runs a stack here; `owner` is None where it has just begun."""

    def __init__(self, owner: LockOwner | None) -> None:
        super().__init__("locked")
        self.owner = owner


@contextmanager
def lock_run_folder(run: Path, stack: str) -> Generator[LockOwner | None]:
    """Lock a run folder for as long as this context lasts.

    Yields:
        The launcher before, if that one was killed and could not clean up; else None.

    Raises:
        RunFolderLocked: Another launcher has it.
    """
    run.mkdir(parents=True, exist_ok=True)
    with _lockfile(run).open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunFolderLocked(_read(run)) from None
        before = _read(run)
        _lockfile(run).write_bytes(msgspec.json.encode(LockOwner(os.getpid(), stack)))
        try:
            yield before
        finally:
            _lockfile(run).write_bytes(b"")


def lock_owner(run: Path) -> LockOwner | None:
    """The launcher that runs a stack here now, or None."""
    if not _lockfile(run).exists():
        return None
    with _lockfile(run).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read(run)
    return None


def _lockfile(run: Path) -> Path:
    return run / "up.lock"


def _read(run: Path) -> LockOwner | None:
    content = _lockfile(run).read_bytes()
    return msgspec.json.decode(content, type=LockOwner) if content else None
