"""Writes and reads `run.json`: where a running stack answers. It exists only while all parts are healthy."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Running:
    """A healthy stack.

    Attributes:
        parts: The pid and the health URL of each part.
        options: What it was started with, by the name of the option or variable.
    """

    url: str
    pipeline_url: str
    livekit_url: str
    parts: Mapping[str, tuple[int, str]]
    options: Mapping[str, str] = field(default_factory=dict)


def write_run_file(path: Path, running: Running) -> None:
    content: dict[str, Any] = {
        "url": running.url,
        "pipeline_url": running.pipeline_url,
        "livekit_url": running.livekit_url,
        "parts": {name: {"pid": pid, "health": health} for name, (pid, health) in running.parts.items()},
        "options": dict(running.options),
    }
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=2) + "\n")
    partial.replace(path)


def read_run_file(path: Path) -> Running | None:
    """What a stack has written, or None if there is no such file."""
    try:
        content = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    parts = {name: (part["pid"], part["health"]) for name, part in content["parts"].items()}
    return Running(content["url"], content["pipeline_url"], content["livekit_url"], parts, content.get("options", {}))
