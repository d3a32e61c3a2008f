"""Starts the server, has each section measure it while there is time, and ends it."""

import asyncio
import os
import signal
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.contract.vllm.chain import Chain, started
from tests.gpu.chain_cancels import cancelled
from tests.gpu.chain_measures import Bench, Extent, Tell
from tests.gpu.chain_server import engine_rows, memory_rows, start_row, versions
from tests.gpu.sections import TAIL, Report

SECTIONS = ("first", "one", "paused", "many", "cancel", "sound", "restart")
STOP_S = 15.0  # of the limit, for the end


@dataclass(frozen=True, slots=True)
class Place:
    """What the server is started with."""

    deployment: Path
    models_dir: Path
    env: Mapping[str, str]


async def run(report: Report, place: Place, extent: Extent, sections: Sequence[str], limit_s: float) -> None:
    """Measure in that order, once; with `restart`, only how it starts once more."""
    clock = asyncio.get_running_loop().time
    ends = clock() + limit_s - STOP_S
    report.add("versions", [versions()])
    with _served(report, "start", place, ends) as chain:
        if chain:
            bench = Bench(chain.url, extent)  # what is played in all sections counts for `sound`
            for name in (each for each in sections if each != "restart"):
                await _measured(report, name, _section(name, bench, report), ends)
            report.add("memory at the end", memory_rows(chain))
    if "restart" in sections and clock() < ends:
        with _served(report, "restart", place, ends) as chain:
            if chain:
                first = partial(Bench(chain.url, extent).first, lambda name, rows: report.add(f"restart: {name}", rows))
                await _measured(report, "restart: first", first, ends)
    report.add("end", [{"seconds": limit_s - STOP_S - (ends - clock())}])


@contextmanager
def _served(report: Report, name: str, place: Place, ends: float) -> Iterator[Chain | None]:
    """Ready; None if it does not become so, and the report says why."""
    clock = asyncio.get_running_loop().time
    began, pids = clock(), list[int]()
    log = report.path.with_suffix(f".{name}.log")
    try:
        with started(place.deployment, place.models_dir, log, place.env) as chain:
            try:
                chain.until_ready(ends - began)
                report.add(name, [start_row(chain, clock() - began)])
            except AssertionError as error:
                report.add(f"{name}: failed", [{"error": str(error)[-2 * TAIL :], "after_s": clock() - began}])
            pids += chain.stages()
            report.add(f"{name}: engines", engine_rows(chain))
            report.add(f"{name}: memory", memory_rows(chain))
            yield chain if chain.ready().get("ready") else None
    finally:
        for pid in pids:  # they end with the server, unless it had to be killed
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _section(name: str, bench: Bench, report: Report) -> Callable[[], Awaitable[None]]:
    sections: dict[str, Callable[[Tell], Awaitable[None]]] = {
        "first": bench.first,
        "one": bench.one,
        "paused": bench.paused,
        "many": bench.many,
        "cancel": partial(cancelled, bench),
        "sound": bench.sound,
    }
    return partial(sections[name], report.add)


async def _measured(report: Report, name: str, measure: Callable[[], Awaitable[None]], ends: float) -> None:
    """What it had told before it failed, or time ran out, stays."""
    clock = asyncio.get_running_loop().time
    began = clock()
    if ends <= began:
        report.add(f"{name}: left out, no time", [])
        return
    try:
        async with asyncio.timeout_at(ends):
            await measure()
    except Exception:
        report.add(f"{name}: failed", [{"after_s": clock() - began, "error": traceback.format_exc()[-2 * TAIL :]}])
