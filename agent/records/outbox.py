"""This module keeps what a webhook is to be told until it was: a file for each record, beside the records."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

FOLDER, LOCK = ".outbox", "lock"
OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True)
class PendingNotice:
    """What is to be told of a record.

    Attributes:
        record: The record's folder.
    """

    record: Path
    body: bytes


class WebhookOutbox:
    """The notices of one folder of records."""

    def __init__(self, records: Path) -> None:
        self._records, self._path = records, records / FOLDER

    def put(self, notice: PendingNotice) -> None:
        """Keep a notice.

        Raises:
            OSError: It cannot be kept.
        """
        self._path.mkdir(mode=0o700, exist_ok=True)
        half = self._path / f".{notice.record.name}"
        with open(half, "wb", opener=_private) as file:
            file.write(notice.body)
        half.replace(self._path / notice.record.name)

    def notices(self) -> list[PendingNotice]:
        """Return those that wait, the oldest first. Of records that were deleted there are none any more.

        Raises:
            OSError: They cannot be read.
        """
        there = sorted(self._path.iterdir()) if self._path.exists() else []
        whole = [path for path in there if path.name[0].isdecimal()]
        notices = [PendingNotice(self._records / path.name, path.read_bytes()) for path in whole]
        for notice in notices:
            if not notice.record.exists():
                self.drop(notice)
        return [notice for notice in notices if notice.record.exists()]

    def drop(self, notice: PendingNotice) -> None:
        """Forget a notice.

        Raises:
            OSError: It stays.
        """
        (self._path / notice.record.name).unlink(missing_ok=True)

    def hold(self) -> IO[bytes] | None:
        """Return what its holder closes in the end: nobody else is given one until then; None: somebody has it.

        Raises:
            OSError: The folder cannot be used.
        """
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = open(self._path / LOCK, "ab", opener=_private)  # noqa: SIM115 - its holder closes it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return None
        return lock


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)
