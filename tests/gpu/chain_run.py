"""Starts the server, has each section measure it while there is time, and ends it."""

import asyncio
import os
import signal
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.contract.vllm.chain import VLLM_STAGES, Chain, started
from tests.gpu.chain_cancels import cancelled
from tests.gpu.chain_measures import Bench, Extent, Tell
from tests.gpu.chain_meters import REQUESTS, Metered
from tests.gpu.chain_open_section import opened
from tests.gpu.chain_processes import PROCESSES
from tests.gpu.chain_server import drafts, engine_rows, memory_rows, metrics, start_row, started_stages, versions
from tests.gpu.environment import CACHES
from tests.gpu.memory import gpu_mib
from tests.gpu.sections import TAIL, Report, Row

SECTIONS = ("first", "one", "paused", "many", "open", "cancel", "sound", "restart")
USUAL = tuple(each for each in SECTIONS if each != "open")  # which takes more than a minute at each number of callers
LOOK_S = 0.2
STOP_S = 15.0  # of the limit, for the end


@dataclass(frozen=True, slots=True)
class Place:
    """What the server is started with.

    Attributes:
        gpu: The number of the GPU whose memory is told.
    """

    deployment: Path
    models_dir: Path
    env: Mapping[str, str]
    vllm_stages: tuple[str, ...] = VLLM_STAGES
    gpu: int = 0

    @property
    def is_cached(self) -> bool:
        """Something was compiled for it before."""
        return any(Path(self.env[cache]).exists() for cache in CACHES)


async def run(report: Report, place: Place, extent: Extent, sections: Sequence[str], limit_s: float) -> None:
    """Measure in that order, once; with `restart`, only how it starts once more."""
    clock = asyncio.get_running_loop().time
    ends = clock() + limit_s - STOP_S
    report.add("versions", [versions()])
    async with served(report, "start", place, ends) as chain:
        if chain:
            server = Metered(chain.process.pid, Path(place.env[REQUESTS]))
            bench = Bench(chain.url, extent, server, PROCESSES)  # what is played in all sections counts for `sound`
            for name in (each for each in sections if each != "restart"):
                section = _section(name, bench, report)
                await measured(report, name, partial(_noted, name, section, chain, bench, report), ends)
            report.add("memory at the end", memory_rows(chain))
    if "restart" in sections and clock() < ends:
        async with served(report, "restart", place, ends) as chain:
            if chain:
                first = partial(Bench(chain.url, extent).first, lambda name, rows: report.add(f"restart: {name}", rows))
                await measured(report, "restart: first", first, ends)
    report.add("end", [{"seconds": limit_s - STOP_S - (ends - clock())}])


@asynccontextmanager
async def served(report: Report, name: str, place: Place, ends: float) -> AsyncGenerator[Chain | None]:
    """Ready; None if it does not become so, and the report says why."""
    clock = asyncio.get_running_loop().time
    began, pids = clock(), list[int]()
    log = report.path.with_suffix(f".{name}.log")
    cached = place.is_cached
    try:
        with started(place.deployment, place.models_dir, log, place.env, place.vllm_stages) as chain:
            growth: list[Row] = []
            is_ready = await _becomes_ready(chain, place.gpu, ends, growth)
            took_s = clock() - began
            pids += chain.stages()
            if is_ready:
                report.add(name, [{"cached": cached, **start_row(chain, took_s)}])
            else:
                told = log.read_text(errors="replace")[-2 * TAIL :]
                report.add(f"{name}: failed", [{"after_s": took_s, "log": told}])
            report.add(f"{name}: engines", engine_rows(chain))
            report.add(f"{name}: memory", [*growth, *memory_rows(chain, place.gpu)])
            yield chain if is_ready else None
    finally:
        for pid in pids:  # they end with the server, unless it had to be killed
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


async def _becomes_ready(chain: Chain, gpu: int, ends: float, growth: list[Row]) -> bool:
    """
    Args:
        growth: Gets what the GPU holds as soon as each stage has started.
    """
    clock = asyncio.get_running_loop().time
    while clock() < ends and chain.process.poll() is None:
        for stage in started_stages(chain)[len(growth) :]:
            growth.append({"after": stage, "gpu_mib": gpu_mib(gpu)})
        if (await asyncio.to_thread(chain.ready)).get("ready"):
            return True
        await asyncio.sleep(LOOK_S)
    return False


def _section(name: str, bench: Bench, report: Report) -> Callable[[], Awaitable[None]]:
    sections: dict[str, Callable[[Tell], Awaitable[None]]] = {
        "first": bench.first,
        "one": bench.one,
        "paused": bench.paused,
        "many": bench.many,
        "open": partial(opened, bench),
        "cancel": partial(cancelled, bench),
        "sound": bench.sound,
    }
    return partial(sections[name], report.add)


async def _noted(name: str, measure: Callable[[], Awaitable[None]], chain: Chain, bench: Bench, report: Report) -> None:
    """Beside what it measures: what became of the drafts meanwhile, and which turns took much longer than others."""
    before = await asyncio.to_thread(metrics, chain)
    bench.outliers.clear()
    try:
        await measure()
    finally:
        report.add(f"{name}: outliers", bench.outliers)
    report.add(f"{name}: drafts", [drafts(before, await asyncio.to_thread(metrics, chain))])


async def measured(report: Report, name: str, measure: Callable[[], Awaitable[None]], ends: float) -> None:
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
