"""What the options of a load test may be; what they may not is refused by name."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SCHEMES = ("http", "https", "ws", "wss")
PCM = {"type": "audio/pcm", "rate": 24_000}  # what callers speak, and what they measure


def url(text: str) -> str:
    """The address of a server. The path that the protocol appends may be there."""
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in SCHEMES and parts.hostname and parts.port != 0 and not parts.query + parts.fragment
    except ValueError:
        is_one = False
    if not is_one:
        raise argparse.ArgumentTypeError(f"{text!r} is no address of a server, such as http://127.0.0.1:8100")
    return text.rstrip("/").removesuffix("/v1/realtime").removesuffix("/v1")


def folder(text: str) -> Path:
    if not text or not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return Path(text)


def above(least: float, most: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        value = float(text)
        if not least < value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number above {least:g}, up to {most:g}")
        return value

    return number


def share(text: str) -> float:
    if not 0 <= (value := float(text)) <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 to 1")
    return value


def count(most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not 1 <= (value := int(text)) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {most}")
        return value

    return number


def session(text: str) -> dict[str, Any]:
    """More of a `session.update`, whose sound is as callers speak and measure it."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON object")
    audio = _part(value, "audio", "audio")
    for side in ("input", "output"):
        wanted = _part(audio, side, f"audio.{side}").get("format", PCM)
        if wanted not in (PCM, {"type": PCM["type"]}):
            reason = f"audio.{side}.format: a load test speaks and measures {json.dumps(PCM)} only"
            raise argparse.ArgumentTypeError(reason)
    return value


def _part(whole: dict[str, Any], name: str, path: str) -> dict[str, Any]:
    part = whole.get(name, {})
    if not isinstance(part, dict):
        raise argparse.ArgumentTypeError(f"{path}: {json.dumps(part)} is not a JSON object")
    return part
