"""Starts cells, each on a GPU of its own, has each section measure them while there is time, and ends them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.contract.vllm.chain import Chain
from tests.gpu.cells_daemons import daemons
from tests.gpu.cells_measures import Cell, CellsBench
from tests.gpu.chain_measures import Extent, Tell
from tests.gpu.chain_meters import REQUESTS, Metered
from tests.gpu.chain_run import STOP_S, Place, measured, served
from tests.gpu.chain_server import memory_rows
from tests.gpu.environment import CACHES
from tests.gpu.sections import Report

LOADS = ("first", "many", "open", "others")
DAEMONS = "daemons"
SECTIONS = (*LOADS, DAEMONS)


def places_of(place: Place, gpus: Sequence[int]) -> tuple[Place, ...]:
    """The same place on each of these GPUs, with caches and notes of its own: they may start at the same time."""
    return tuple(_on(place, number, gpu) for number, gpu in enumerate(gpus, 1))


def _on(place: Place, number: int, gpu: int) -> Place:
    own = {name: Path(place.env[name]) for name in (REQUESTS, *CACHES)}
    env = {name: str(path.with_name(f"{path.name}.{number}")) for name, path in own.items()}
    return replace(place, env={**place.env, **env, "CUDA_VISIBLE_DEVICES": str(gpu)}, gpu=gpu)


async def run(report: Report, places: Sequence[Place], extent: Extent, sections: Sequence[str], limit_s: float) -> None:
    """Start all at once, and measure those that become ready, in that order.

    Args:
        sections: Of `LOADS`.
    """
    clock = asyncio.get_running_loop().time
    began, done = clock(), asyncio.Event()
    ends = began + limit_s - STOP_S * len(places)
    async with asyncio.TaskGroup() as tasks:
        starts = [asyncio.get_running_loop().create_future() for _ in places]
        for number, (place, start) in enumerate(zip(places, starts, strict=True), 1):
            name = f"cell {number}"
            tasks.create_task(_served(report, name, place, ends, start, done), name=f"cells:{name}")
        chains: Sequence[Chain | None] = await asyncio.gather(*starts)
        cells = {
            number: Cell(f"cell {number}", chain.url, Metered(chain.process.pid, Path(place.env[REQUESTS]), place.gpu))
            for number, (chain, place) in enumerate(zip(chains, places, strict=True), 1)
            if chain
        }
        report.add("start of all at once", [{"cells": len(places), "ready": len(cells), "seconds": clock() - began}])
        if cells:
            bench = CellsBench(list(cells.values()), extent)
            for name, measure in _sections(bench, report.add).items():
                if name in sections:
                    await measured(report, name, measure, ends)
        for number, (chain, place) in enumerate(zip(chains, places, strict=True), 1):
            if chain:
                report.add(f"cell {number}: memory at the end", memory_rows(chain, place.gpu))
                chain.process.terminate()  # all at once; each is waited for
        done.set()


async def run_daemons(report: Report, gpus: Sequence[int], ends: float) -> None:
    """Without any cell: they would be in the way."""
    await measured(report, DAEMONS, partial(daemons, gpus, report.add), ends)


def _sections(bench: CellsBench, emit: Tell) -> Mapping[str, Callable[[], Awaitable[None]]]:
    ways = (bench.first, bench.many, bench.opened, bench.others)
    return {name: partial(way, emit) for name, way in zip(LOADS, ways, strict=True)}


async def _served(
    report: Report, name: str, place: Place, ends: float, start: asyncio.Future[Chain | None], done: asyncio.Event
) -> None:
    """
    Args:
        start: Is told when it is ready; None: it does not become so.
        done: When it is to end.
    """
    async with served(report, name, place, ends) as chain:
        start.set_result(chain)
        await done.wait()
