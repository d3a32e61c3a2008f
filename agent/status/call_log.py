"""This module keeps what an agent has published of its decisions and of its turns' timings, to be saved as JSON."""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

VERSION = 1
KEPT = 10_000  # of each kind; of more, the oldest are forgotten
KINDS = {"aura.decision": "decisions", "aura.timings": "timings"}


class CallLog:
    """Notes decisions and timings as they are published. What people say is in neither."""

    def __init__(self) -> None:
        self._kept: dict[str, deque[Any]] = {kind: deque(maxlen=KEPT) for kind in KINDS.values()}

    def note(self, attributes: Mapping[str, str]) -> None:
        """Take what is published; attributes that are neither are left out."""
        for name, value in attributes.items():
            if value and (kind := KINDS.get(name)):
                self._kept[kind].append(msgspec.json.decode(value))

    def document(self) -> dict[str, Any]:
        """Return all that is kept, oldest first: `{version, decisions, timings}`, each as its attribute has it."""
        return {"version": VERSION, **{kind: list(kept) for kind, kept in self._kept.items()}}

    def save(self, path: Path) -> None:
        """Write the document.

        Raises:
            OSError: It cannot be written.
        """
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self.document()), indent=2) + b"\n")


@contextmanager
def saved_log(path: Path | None) -> Iterator[CallLog]:
    """Give a log that is saved there in the end, however the call ends; None: nowhere.

    Raises:
        ValueError: No file can be written there; it is known before the call.
    """
    log = CallLog()
    try:
        if path:
            path.open("ab").close()
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from error
    try:
        yield log
    finally:
        if path:
            log.save(path)
