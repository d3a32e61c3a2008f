"""This module ends records whose agent died: with what was written of them, marked as broken off."""

import fcntl
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

import av
import msgspec

from agent.records.ogg_file import RATE
from agent.records.record_folder import RecordFolder
from agent.records.timeline import LINES, RecordEnd, Shown, SoundOf, Timeline, append_end, read_timeline
from agent.tools.runner import LOST

logger = logging.getLogger(__name__)

WHY = "broken off"


def end_broken_off(records: Path, hopeless: set[Path] | None = None) -> list[Timeline]:
    """End each record that nobody writes any more; returns them. Takes a while.

    Args:
        hopeless: Those that cannot be ended: they are left, and logged once. More may join them.

    Raises:
        OSError: The folder cannot be read.
    """
    left = set() if hopeless is None else hopeless
    return [ended for path in RecordFolder(records).all() if path not in left and (ended := _ended(path, left))]


def _ended(record: Path, hopeless: set[Path]) -> Timeline | None:
    try:
        with open(record / LINES, "ab", buffering=0, opener=_of_what_is_there) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.fstat(file.fileno()).st_size:
                return None  # it is being made
            timeline = read_timeline(record)
            append_end(record, file, *_lost_tools(timeline), _end(record, timeline))
        logger.warning("a record was broken off", extra={"record": record.name})
        return read_timeline(record)
    except (FileNotFoundError, BlockingIOError):
        return None  # it has ended, or is being written
    except (OSError, msgspec.DecodeError):
        hopeless.add(record)
        logger.exception("a record was not ended", extra={"record": record.name})
        return None


def _of_what_is_there(path: str, flags: int) -> int:
    """Opens a file that exists: one that has ended is not begun anew, nor one that is about to begin."""
    return os.open(path, flags & ~os.O_CREAT)


def _lost_tools(timeline: Timeline) -> list[Shown]:
    """Each tool that ran when its agent died: it does not any more."""
    newest = {tool.get("call_id"): tool for tool in timeline.tools}
    running = (tool for tool in newest.values() if tool.get("state") == "running")
    return [Shown("tool", {**tool, "state": "failed", "result": LOST}) for tool in running]


def _end(record: Path, timeline: Timeline) -> RecordEnd:
    """How far it goes: until its newest file was last written."""
    began = datetime.fromisoformat(timeline.began)
    files = [path for path in (record / LINES, record / SoundOf().file) if path.exists()]
    ended = datetime.fromtimestamp(max(path.stat().st_mtime for path in files), UTC)
    samples = _samples(record / SoundOf().file)
    ms = max(round((ended - began).total_seconds() * 1_000), round(1_000 * (samples or 0) / RATE))
    return RecordEnd(ended.isoformat(timespec="milliseconds"), ms, samples, reason=WHY)


def _samples(sound: Path) -> int | None:
    """How many there are of each channel; None: there is no sound."""
    try:
        with av.open(str(sound)) as container:
            return sum(frame.samples for frame in container.decode(audio=0)) * RATE // container.streams.audio[0].rate
    except (OSError, av.FFmpegError, IndexError):
        return None
