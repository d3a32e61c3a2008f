"""What the parts hold: processes, memory, files, sockets, threads and tasks."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from infra.bench.base.footprint import anonymous_mb, pss_mb
from infra.bench.base.process_tree import family

COUNTS = ("processes", "files", "sockets", "threads", "tasks")
MOST_MORE = 0.02  # of the memory that it held before


@dataclass(frozen=True, slots=True)
class Held:
    """What a part holds, with all its processes.

    Attributes:
        pss_mb: Also changes when programs outside the soak begin or cease to map the same libraries.
        anonymous_mb: The part of it that does not: what a leak is told from.
        tasks: Of its event loop; None: it does not say.
    """

    processes: int
    pss_mb: float
    anonymous_mb: float
    files: int
    sockets: int
    threads: int
    tasks: int | None = None


async def held(parts: Mapping[str, int], metrics: Mapping[str, str]) -> dict[str, Held]:
    """What each part holds.

    Args:
        parts: The pid of each.
        metrics: The URL of its metrics, if it has any.
    """
    found = {name: _held([each.pid for each in family(pid)]) for name, pid in parts.items()}
    # Asked afterwards: else the connection over which they are asked may count as a socket of theirs.
    return {name: replace(each, tasks=await _tasks(metrics.get(name))) for name, each in found.items()}


def left_over(before: Held, after: Held) -> dict[str, tuple[float, float]]:
    """What a part holds more of than it did, each as it was and as it is; of memory, if it is over 2 % more."""
    more: dict[str, tuple[float, float]] = {}
    for name in COUNTS:
        was, is_now = getattr(before, name) or 0, getattr(after, name) or 0
        if is_now > was:
            more[name] = was, is_now
    if after.anonymous_mb > before.anonymous_mb * (1 + MOST_MORE):
        more["anonymous_mb"] = before.anonymous_mb, after.anonymous_mb
    return more


def _held(pids: list[int]) -> Held:
    files = sockets = threads = 0
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            threads += len(os.listdir(f"/proc/{pid}/task"))
            for entry in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(FileNotFoundError):
                    is_socket = os.readlink(entry).startswith("socket:")
                    sockets, files = sockets + is_socket, files + (not is_socket)
    return Held(len(pids), round(pss_mb(pids), 1), round(anonymous_mb(pids), 1), files, sockets, threads)


async def _tasks(url: str | None) -> int | None:
    if url is None:
        return None
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        families = text_string_to_metric_families(await answer.text()) if answer.status == 200 else ()
        found = [sample.value for each in families for sample in each.samples if sample.name.endswith("_tasks")]
        return int(found[0]) if found else None
