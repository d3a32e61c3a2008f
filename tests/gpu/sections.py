"""Runs the parts of a measurement in processes of their own: one that fails or hangs is reported, the others go on."""

import asyncio
import fcntl
import json
import os
import signal
import subprocess
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

Row = dict[str, Any]

TAIL = 1500  # characters of a log that are worth repeating


class Report:
    """Rows of numbers by name: printed, and in a JSON file that is whole after each. Processes may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, name: str, rows: Sequence[Row]) -> None:
        rounded = [{key: _short(value) for key, value in row.items()} for row in rows]
        with locked(self.path.parent):
            found = json.loads(self.path.read_text()) if self.path.exists() else {}
            whole = self.path.with_suffix(".new")
            whole.write_text(json.dumps(found | {name: rounded}, indent=1) + "\n")
            whole.replace(self.path)
        print(f"== {name}")
        for row in rounded:
            print("   ".join(f"{key} {value}" for key, value in row.items()), flush=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


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
