"""This module remembers on disk which jobs a worker has, for the worker after one that was killed."""

import logging
from collections.abc import Set
from pathlib import Path

import msgspec

from agent.rooms.failover import RoomJob

logger = logging.getLogger(__name__)


class JobStore:
    """The store is the file of one worker; without a path, nothing is remembered."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def read(self) -> frozenset[RoomJob]:
        """Return those that ran when it was last written."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=frozenset[RoomJob]) if self._path else frozenset()
        except (OSError, msgspec.MsgspecError):
            return frozenset()

    def forget(self) -> None:
        """Remove the file: the worker has ended, and left nobody behind."""
        if self._path:
            self._path.unlink(missing_ok=True)

    def write(self, jobs: Set[RoomJob]) -> None:
        if self._path is None:
            return
        partial = self._path.with_suffix(".partial")
        try:
            partial.write_bytes(msgspec.json.encode(jobs))
            partial.replace(self._path)
        except OSError:
            logger.exception("the jobs were not written down", extra={"path": str(self._path)})
