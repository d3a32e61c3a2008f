"""Runs the parts of a measurement in processes of their own: one that fails or hangs is reported, the others go on."""

import asyncio
import json
import os
import signal
import subprocess
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

Row = dict[str, Any]

TAIL = 1500  # characters of a log that are worth repeating


class Report:
    """Rows of numbers by name: printed, and in a JSON file that is whole after each."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, name: str, rows: Sequence[Row]) -> None:
        found = json.loads(self.path.read_text()) if self.path.exists() else {}
        rounded = [{key: _short(value) for key, value in row.items()} for row in rows]
        found[name] = rounded
        whole = self.path.with_suffix(".new")
        whole.write_text(json.dumps(found, indent=1) + "\n")
        whole.replace(self.path)
        print(f"== {name}")
        for row in rounded:
            print("   ".join(f"{key} {value}" for key, value in row.items()), flush=True)


def run_section(name: str, command: Sequence[str], report: Report, limit_s: float, env: Mapping[str, str]) -> None:
    """What it says on stderr goes to a log beside the report. Its own processes end with it."""
    log = report.path.with_suffix(f".{name}.log")
    with log.open("w") as errors:
        process = subprocess.Popen(command, stderr=errors, env={**os.environ, **env}, start_new_session=True)
        try:
            code: int | str = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            code = f"no end after {limit_s:.0f} s"
        finally:
            _end(process)
    if code:
        report.add(f"{name}: failed", [{"exit": code, "log": log.read_text()[-TAIL:]}])


async def measured(measure: Callable[[], Awaitable[list[Row]]], limit_s: float) -> list[Row]:
    """Its rows; or how it failed, so that the others are measured all the same."""
    try:
        async with asyncio.timeout(limit_s):
            return await measure()
    except Exception:
        return [{"failed": traceback.format_exc()[-TAIL:]}]


def _end(process: subprocess.Popen[bytes]) -> None:
    """The whole group: engines have processes of their own, which may outlive a section that was killed."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _short(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value
