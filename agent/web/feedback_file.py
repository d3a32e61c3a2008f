"""This module writes down what people thought of their calls: JSON lines, in two files of bounded length."""

import os
from pathlib import Path
from typing import Literal

import msgspec

FULL_BYTES = 4 * 1024 * 1024  # of a file; it then takes the place of the one before it
OWNER_ONLY = 0o600


class FeedbackRecord(msgspec.Struct, frozen=True):
    """The record is a line of the file; of several for one call the last one counts.

    Attributes:
        at: When it came, UTC, ISO 8601.
        sentence: What the person wrote about it; nothing of what was said in the call.
    """

    at: str
    room: str
    identity: str
    thumb: Literal["up", "down"]
    sentence: str


class FeedbackFile:
    """Appends records; beside `feedback.jsonl`, `feedback.1.jsonl` has those before them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, record: FeedbackRecord) -> None:
        """Write it at the end.

        Raises:
            OSError: It cannot be written.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists() and self._path.stat().st_size >= FULL_BYTES:
            self._path.replace(self._path.with_suffix(f".1{self._path.suffix}"))
        with open(self._path, "ab", opener=lambda path, flags: os.open(path, flags, OWNER_ONLY)) as file:
            file.write(msgspec.json.encode(record) + b"\n")
