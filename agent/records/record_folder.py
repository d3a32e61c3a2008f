"""This module knows the folder of all records: it makes them, finds those of a room, and removes them."""

import hashlib
import logging
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

logger = logging.getLogger(__name__)

NAME = re.compile(r"(\d{8}T\d{6}Z)-([0-9a-f]{12})-[0-9a-f]{8}")  # when it began, of which room, and chance
STAMP = "%Y%m%dT%H%M%SZ"
OWNER_ONLY = 0o700


class RecordFolder:
    """Holds a folder for each record. Nothing else in it is touched."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def make(self, room: str, began: datetime) -> Path:
        """Return a new folder for a call.

        Args:
            began: UTC.

        Raises:
            OSError: It cannot be made.
        """
        path = self._path / f"{began.strftime(STAMP)}-{_digest(room)}-{secrets.token_hex(4)}"
        self._path.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        path.mkdir(mode=OWNER_ONLY)
        return path

    def of_room(self, room: str) -> list[Path]:
        """Return the records of the calls in a room, the newest first.

        Raises:
            OSError: The folder cannot be read.
        """
        digest = _digest(room)
        there = [path for path, found in self._records() if found[2] == digest]
        return sorted(there, key=lambda path: path.name, reverse=True)

    def all(self) -> list[Path]:
        """Return all records, the oldest first.

        Raises:
            OSError: The folder cannot be read.
        """
        return sorted(path for path, _ in self._records())

    def remove_old(self, now: datetime, days: int) -> int:
        """Remove the records that began longer ago than that; returns how many there were.

        What is left of a record whose removal was cut short goes, too, whenever it began.

        Raises:
            OSError: The folder cannot be read. What cannot be removed is left, and logged.
        """
        oldest = (now - timedelta(days=days)).strftime(STAMP)
        for path in self._half_removed():
            _attempt(shutil.rmtree, path)
        return sum(_attempt(remove, path) for path, found in list(self._records()) if found[1] < oldest)

    def _half_removed(self) -> list[Path]:
        there = self._path.glob(".*") if self._path.exists() else ()
        return [path for path in there if NAME.fullmatch(path.name[1:]) and path.is_dir() and not path.is_symlink()]

    def _records(self) -> Iterator[tuple[Path, re.Match[str]]]:
        for path in self._path.iterdir() if self._path.exists() else ():
            if (found := NAME.fullmatch(path.name)) and path.is_dir() and not path.is_symlink():
                yield path, found


def remove(record: Path) -> None:
    """Remove a record, also while it is written: its recorder then stops.

    Raises:
        OSError: Not all of it could be removed.
    """
    gone = record.with_name(f".{record.name}")  # at once, for whoever writes there
    record.replace(gone)
    shutil.rmtree(gone)


def utc_now() -> datetime:
    """Return the wall clock's time, for records that people read."""
    return datetime.now(UTC)  # noqa: TID251 - a record for people


def _digest(room: str) -> str:
    return hashlib.sha256(room.encode()).hexdigest()[:12]


def _attempt(removal: Callable[[Path], None], path: Path) -> bool:
    """Whether it could be removed; else that is logged."""
    try:
        removal(path)
    except OSError:
        logger.exception("a record was not removed", extra={"record": path.name})
        return False
    return True
