"""This module is the timeline of a call: what was said, heard and decided, each with its millisecond of the record."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal

import msgspec

VERSION = 1
LINES, DOCUMENT = "timeline.jsonl", "timeline.json"  # as it is written, and when it is over
MOST_BYTES = 16 * 1024 * 1024  # of one; what comes after that is left out
OWNER_ONLY = 0o600

Who = Literal["person", "agent"]
Kind = Literal["browser", "phone"]


class RecordHead(msgspec.Struct, frozen=True, tag="head", tag_field="line"):
    """What is known when a record begins.

    Attributes:
        record: Its name; also the name of its folder.
        began: When its first sample was, UTC, ISO 8601.
    """

    record: str
    room: str
    kind: Kind
    began: str


class Joined(msgspec.Struct, frozen=True, tag="joined", tag_field="line"):
    """Somebody was there."""

    at_ms: int
    identity: str


class RecordedItem(msgspec.Struct, frozen=True, tag="item", tag_field="line"):
    """What was said or written.

    Attributes:
        at_ms: When it was whole: it was in the conversation then.
        text: Of the agent what was heard of it.
        from_ms, until_ms: When it was heard; None: it was not, it was written.
        cut: It was interrupted.
    """

    at_ms: int
    who: Who
    text: str
    from_ms: int | None = None
    until_ms: int | None = None
    cut: bool = False


class Heard(msgspec.Struct, frozen=True, tag="heard", tag_field="line"):
    """A stretch of the agent's channel that holds sound.

    Attributes:
        sample: The position of its first sample.
        samples: How many there are.
    """

    at_ms: int
    sample: int
    samples: int


class Shown(msgspec.Struct, frozen=True, tag="shown", tag_field="line"):
    """What people in the room were shown: a decision, the timings of an answer, or how the call of a tool stands."""

    what: Literal["decision", "timing", "tool"]
    value: dict[str, Any]


class RecordEnd(msgspec.Struct, frozen=True, tag="end", tag_field="line"):
    """How a record ends.

    Attributes:
        samples: Of the sound, each channel; None: there is no sound.
        lost: So many samples came too late to be in it.
        reason: Why it ended before the call did; empty: it did not.
        truncated: The timeline was longer than may be kept.
    """

    ended: str
    ms: int
    samples: int | None
    lost: int = 0
    reason: str = ""
    truncated: bool = False


Line = RecordHead | Joined | RecordedItem | Heard | Shown | RecordEnd


class SoundOf(msgspec.Struct, frozen=True):
    """The sound of a record."""

    file: str = "sound.ogg"
    rate: int = 24_000
    channels: tuple[Who, Who] = ("person", "agent")
    samples: int | None = None
    lost: int = 0


class Timeline(msgspec.Struct, frozen=True):
    """All of a timeline, oldest first.

    Attributes:
        ended, ms: None while the call lasts, and of a record whose agent died.
        people: The identities of those who were there.
        truncated: It was longer than may be kept.
    """

    record: str
    room: str
    kind: Kind
    began: str
    version: int = VERSION
    ended: str | None = None
    ms: int | None = None
    reason: str = ""
    sound: SoundOf | None = None
    people: tuple[str, ...] = ()
    items: tuple[RecordedItem, ...] = ()
    heard: tuple[Heard, ...] = ()
    decisions: tuple[dict[str, Any], ...] = ()
    timings: tuple[dict[str, Any], ...] = ()
    tools: tuple[dict[str, Any], ...] = ()
    truncated: bool = False


class TimelineFile:
    """Appends lines; what was appended is there after an agent that dies.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self, folder: Path, head: RecordHead) -> None:
        self._folder = folder
        self._file = open(folder / LINES, "xb", buffering=0, opener=_private)  # noqa: SIM115 - until `close`
        with contextlib.suppress(OSError):  # a file system may know no locks
            fcntl.flock(self._file, fcntl.LOCK_EX)  # while it is written: nobody ends it as broken off
        self._waiting: list[bytes] = []
        self._length = 0
        self.add(head)

    def add(self, line: Line) -> None:
        """Have it written with the next `write`."""
        if isinstance(line, RecordEnd):
            line = msgspec.structs.replace(line, truncated=self._length > MOST_BYTES)
        data = msgspec.json.encode(line) + b"\n"
        if self._length + len(data) <= MOST_BYTES or isinstance(line, RecordEnd):
            self._waiting.append(data)
        self._length += len(data)

    def write(self) -> None:
        """Write what was added. Takes a while.

        Raises:
            OSError: It cannot be written.
        """
        waiting, self._waiting = b"".join(self._waiting), []
        view = memoryview(waiting)
        while view:
            view = view[self._file.write(view) :]

    def close(self) -> None:
        """Make one document of it.

        Raises:
            OSError: It cannot be written; the lines stay.
        """
        with self._file:
            self.write()
            _make_document(self._folder)


def append_end(folder: Path, file: IO[bytes], *ending: Line) -> None:
    """End a timeline that its writer could not end.

    Args:
        file: Its lines, to append to.
        ending: What comes of it yet, its end last.

    Raises:
        OSError: It cannot be written; the lines stay.
        msgspec.DecodeError: It is no timeline.
    """
    file.write(b"".join(b"\n" + msgspec.json.encode(line) for line in ending) + b"\n")  # one may be half written
    file.flush()
    _make_document(folder)


def _make_document(folder: Path) -> None:
    whole = read_timeline(folder)
    half = folder / f"{DOCUMENT}.new"
    with open(half, "wb", opener=_private) as file:
        file.write(msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")
    half.replace(folder / DOCUMENT)
    (folder / LINES).unlink()


def read_timeline(folder: Path) -> Timeline:
    """Return the timeline of a record, as far as there is one by now.

    Raises:
        OSError: There is none.
        msgspec.DecodeError: It is no timeline.
    """
    try:
        return msgspec.json.decode((folder / DOCUMENT).read_bytes(), type=Timeline)
    except FileNotFoundError:
        data = (folder / LINES).read_bytes()
    lines = list(_whole_lines(data))
    if not lines or not isinstance(head := lines[0], RecordHead):
        raise msgspec.DecodeError("it has no head")
    end = next((line for line in lines if isinstance(line, RecordEnd)), None)
    has_sound = (folder / SoundOf().file).exists() if end is None else end.samples is not None
    return Timeline(
        head.record,
        head.room,
        head.kind,
        head.began,
        ended=end.ended if end else None,
        ms=end.ms if end else None,
        reason=end.reason if end else "",
        sound=(SoundOf(samples=end.samples, lost=end.lost) if end else SoundOf()) if has_sound else None,
        people=tuple(dict.fromkeys(line.identity for line in lines if isinstance(line, Joined))),
        items=tuple(line for line in lines if isinstance(line, RecordedItem)),
        heard=tuple(line for line in lines if isinstance(line, Heard)),
        decisions=_values(lines, "decision"),
        timings=_values(lines, "timing"),
        tools=_values(lines, "tool"),
        truncated=end.truncated if end else False,
    )


def _whole_lines(data: bytes) -> Iterator[Line]:
    for line in data.splitlines(keepends=True):
        if line.endswith(b"\n") and line.strip():  # the last one may be half written
            try:
                yield msgspec.json.decode(line, type=Line)
            except msgspec.DecodeError:  # half of one, which an agent that died has left
                continue


def _values(lines: list[Line], what: str) -> tuple[dict[str, Any], ...]:
    return tuple(line.value for line in lines if isinstance(line, Shown) and line.what == what)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)
