"""Writes and reads `run.json`: where a running stack answers. It exists only while all services are healthy."""

from pathlib import Path

import msgspec


class RunningService(msgspec.Struct, frozen=True):
    """One process of the stack, and the URL at which it says how it is."""

    pid: int
    health: str


class Running(msgspec.Struct, frozen=True):
    """A healthy stack.

    Attributes:
        parts: Its services.
        options: What it was started with, by the name of the option or variable.
    """

    url: str
    pipeline_url: str
    livekit_url: str
    parts: dict[str, RunningService]
    options: dict[str, str] = {}


def write_run_file(path: Path, running: Running) -> None:
    partial = path.with_suffix(".partial")
    partial.write_bytes(msgspec.json.format(msgspec.json.encode(running), indent=2) + b"\n")
    partial.replace(path)


def read_run_file(path: Path) -> Running | None:
    """What a stack has written, or None if there is no such file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Running)
    except FileNotFoundError:
        return None
