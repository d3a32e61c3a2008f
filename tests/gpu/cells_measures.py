"""What is asked of several cells by the load generator: of one alone, and of all with as many times the callers."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from infra.bench.base.figures import percentile
from infra.bench.load.answer import Served
from infra.bench.load.run import Measured, run
from pipeline.realtime.client import readiness
from tests.gpu.chain_measures import LEAVE_S, Extent, Tell, in_step, loop_lag, step_rows, summary
from tests.gpu.chain_meters import Metered, Meters, metered
from tests.gpu.chain_open import OpenLoad, call_open, run_open
from tests.gpu.chain_open_section import open_row, ringing
from tests.gpu.chain_outliers import Late
from tests.gpu.chain_processes import shared
from tests.gpu.lateness import own_lateness
from tests.gpu.sections import Row

COMPARED = ("first_ms_p50", "first_ms_p95", "share_200_ms", "gaps", "gap_ms_most")
VERDICT = "as many times the callers"


@dataclass(frozen=True, slots=True)
class Cell:
    """One that is ready.

    Attributes:
        server: None: nothing is known of it but its address.
    """

    name: str
    url: str
    server: Metered | None = None


@dataclass(slots=True)
class Watched:
    """What was seen of each cell while it was under load, and how late our own event loop was, in seconds."""

    late: dict[str, list[Late]] = field(default_factory=dict)
    meters: dict[str, Meters] = field(default_factory=dict)
    own_late: list[float] = field(default_factory=list)


@dataclass(slots=True)
class CellsBench:
    """Cells under load, each caller where most places are free.

    Attributes:
        verdict: Rows of one cell alone beside all of them, so far.
    """

    cells: Sequence[Cell]
    extent: Extent
    verdict: list[Row] = field(default_factory=list)
    _seed: int = 0

    async def first(self, emit: Tell) -> None:
        """The first turns of each cell, at the same time."""
        await self._in_step("first turns", self.cells, len(self.cells), 2, emit)

    async def many(self, emit: Tell) -> None:
        """Callers in step: at the first cell, then so many times more at all of them."""
        for callers in self.extent.callers:
            one = await self._in_step("in step", self.cells[:1], callers, self.extent.turns, emit)
            more = callers * len(self.cells)
            self._compare(
                "in step", one, await self._in_step("in step", self.cells, more, self.extent.turns, emit), emit
            )

    async def others(self, emit: Tell) -> None:
        """The same at each further cell alone: how far two of them are apart."""
        for cell in self.cells[1:]:
            for callers in self.extent.callers:
                await self._in_step(f"in step, {cell.name} alone", [cell], callers, self.extent.turns, emit)

    async def opened(self, emit: Tell) -> None:
        """Callers who ring up one after the other: at the first cell, then so many times more at all of them."""
        for callers in self.extent.open:
            one = await self._open(self.cells[:1], callers, emit)
            self._compare("open", one, await self._open(self.cells, callers * len(self.cells), emit), emit)

    async def _in_step(self, name: str, cells: Sequence[Cell], callers: int, turns: int, emit: Tell) -> Row:
        await _until_empty(cells)
        self._seed += 1
        plan, measured = in_step([cell.url for cell in cells], self.extent, self._seed, callers, turns), Measured()
        async with watched(cells) as seen:
            await run(plan, measured)
        row = _row(cells, callers, measured) | summary(measured.served)
        tell(f"{name}: cells {len(cells)}, callers {callers}", row, cells, measured, measured.by_server, seen, emit)
        return row

    async def _open(self, cells: Sequence[Cell], callers: int, emit: Tell) -> Row:
        await _until_empty(cells)
        self._seed += 1
        load = OpenLoad(self.extent.ramp_s, self.extent.measured_s)
        plan = ringing([cell.url for cell in cells], load, self._seed, callers)
        async with watched(cells) as seen, shared(0, call_open, plan, load) as begin:
            found = await run_open(load, begin, None)
        row = _row(cells, callers, found.measured) | open_row(load, found)
        counted = {url: load.counts(served) for url, served in found.measured.by_server.items()}
        tell(f"open: cells {len(cells)}, callers {callers}", row, cells, found.measured, counted, seen, emit)
        return row

    def _compare(self, load: str, one: Row, every: Row, emit: Tell) -> None:
        self.verdict.append(compared(load, one, every))
        emit(VERDICT, self.verdict)


def compared(load: str, one: Row, every: Row) -> Row:
    """One cell and all of them, beside each other."""
    row: Row = {"load": load}
    for name in ("cells", "callers", *COMPARED):
        if name in one and name in every:
            row |= {name: one[name], f"{name}_of_all": every[name]}
    for name in ("first_ms_p50", "first_ms_p95"):
        if name in row:
            row[f"{name}_times"] = every[name] / one[name]
    return row


def tell(
    name: str,
    row: Row,
    cells: Sequence[Cell],
    measured: Measured,
    served: dict[str, list[Served]],
    seen: Watched,
    emit: Tell,
) -> None:
    """A load: a row of all its turns, one of each cell, the steps of all turns, and what waited in the engines.

    Args:
        served: The turns that count, by the cell's URL.
    """
    own_late = [1_000 * late for late in seen.own_late]
    own = {"own_lag_ms_p95": percentile(own_late, 95), "own_lag_ms_most": max(own_late)} if own_late else {}
    emit(name, [row | own])
    emit(f"{name}: by cell", [_cell_row(cell, measured, served.get(cell.url, []), seen) for cell in cells])
    emit(f"{name}: steps", step_rows([each for cell in cells for each in served.get(cell.url, [])]))
    waits = [{"cell": cell.name, **row} for cell in cells for row in seen.meters[cell.url].waits]
    emit(f"{name}: waits in the engines", waits)


@asynccontextmanager
async def watched(cells: Sequence[Cell]) -> AsyncGenerator[Watched]:
    """All that is metered is there when the context has ended."""
    seen = Watched()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(own_lateness(seen.own_late))
        for cell in cells:
            seen.late[cell.url] = await stack.enter_async_context(loop_lag(cell.url))
            seen.meters[cell.url] = await stack.enter_async_context(metered(cell.server))
        yield seen


async def _until_empty(cells: Sequence[Cell]) -> None:
    """Those who have just hung up have left."""
    async with asyncio.timeout(LEAVE_S):
        for cell in cells:
            while (state := await readiness(cell.url)).free_sessions < max(1, state.max_sessions):  # noqa: ASYNC110 - only by asking
                await asyncio.sleep(0.1)


def _row(cells: Sequence[Cell], callers: int, measured: Measured) -> Row:
    told = {"cells": len(cells), "callers": callers, "refused": measured.refused, "broken": measured.failed}
    return told | ({"failure": measured.failure} if measured.failure else {})


def _cell_row(cell: Cell, measured: Measured, served: Sequence[Served], seen: Watched) -> Row:
    lag_ms = max((1_000 * late for _, late in seen.late[cell.url]), default=0.0)
    row = {"cell": cell.name, "callers": measured.callers[cell.url], **summary(served), "loop_lag_ms_most": lag_ms}
    return row | seen.meters[cell.url].load
