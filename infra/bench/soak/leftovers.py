"""What the parts hold: processes, memory, files, sockets, threads and tasks."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from infra.bench.base.footprint import pss_mb
from infra.bench.base.process_tree import family
from infra.bench.soak.part import Part


@dataclass(frozen=True, slots=True)
class Held:
    """What a part holds, with all its processes.

    Attributes:
        tasks: Of its event loop; None: it does not say.
    """

    processes: int
    pss_mb: float
    files: int
    sockets: int
    threads: int
    tasks: int | None = None


async def held(parts: Mapping[str, Part], metrics: Mapping[str, str]) -> dict[str, Held]:
    """By the name of each part."""
    return {
        name: _held([each.pid for each in family(part.pid)], await _tasks(metrics.get(name)))
        for name, part in parts.items()
    }


def _held(pids: list[int], tasks: int | None) -> Held:
    files = sockets = threads = 0
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            threads += len(os.listdir(f"/proc/{pid}/task"))
            for entry in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(FileNotFoundError):
                    is_socket = os.readlink(entry).startswith("socket:")
                    sockets, files = sockets + is_socket, files + (not is_socket)
    return Held(len(pids), round(pss_mb(pids), 1), files, sockets, threads, tasks)


async def _tasks(url: str | None) -> int | None:
    if url is None:
        return None
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        families = text_string_to_metric_families(await answer.text()) if answer.status == 200 else ()
        found = [sample.value for each in families for sample in each.samples if sample.name.endswith("_tasks")]
        return int(found[0]) if found else None
