"""The measurement of several cells, against real servers with scripted engines. Times are real."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.gpu import chain_open
from tests.gpu.cells_measures import VERDICT, Cell, CellsBench
from tests.gpu.chain_measures import Extent
from tests.gpu.sections import Row
from tests.served import served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

EXTENT = Extent(callers=(2,), open=(1,), turns=1, speech_s=0.5, pause_s=0.1, ramp_s=1.0, measured_s=1.0)


async def test_all_cells_have_as_many_times_the_callers_of_one_and_each_gets_its_share() -> None:
    told: dict[str, Sequence[Row]] = {}
    async with served(max_sessions=3) as one, served(max_sessions=3) as other:
        bench = CellsBench([Cell("cell 1", one.url), Cell("cell 2", other.url)], EXTENT)
        await bench.first(lambda name, rows: told.update({name: list(rows)}))
        await bench.many(lambda name, rows: told.update({name: list(rows)}))
        await bench.others(lambda name, rows: told.update({name: list(rows)}))
    assert [row["callers"] for row in told["first turns: cells 2, callers 2: by cell"]] == [1, 1]
    (alone,), (both,) = told["in step: cells 1, callers 2"], told["in step: cells 2, callers 4"]
    assert (alone["n"], alone["completed"], alone["refused"], alone["broken"]) == (2, 2, 0, 0)
    assert (both["n"], both["completed"], both["refused"], both["broken"]) == (4, 4, 0, 0)
    assert both["own_lag_ms_most"] >= both["own_lag_ms_p95"] >= 0.0
    by_cell = told["in step: cells 2, callers 4: by cell"]
    assert [(row["cell"], row["callers"], row["n"]) for row in by_cell] == [("cell 1", 2, 2), ("cell 2", 2, 2)]
    assert {row["n"] for row in told["in step: cells 2, callers 4: steps"]} == {4}
    (verdict,) = told[VERDICT]
    assert [verdict[name] for name in ("cells", "cells_of_all", "callers", "callers_of_all")] == [1, 2, 2, 4]
    assert (verdict["first_ms_p95"], verdict["first_ms_p95_of_all"]) == (alone["first_ms_p95"], both["first_ms_p95"])
    assert verdict["first_ms_p95_times"] == both["first_ms_p95"] / alone["first_ms_p95"]
    (further,) = told["in step, cell 2 alone: cells 1, callers 2: by cell"]
    assert (further["cell"], further["n"]) == ("cell 2", 2)


async def test_those_who_ring_up_are_spread_over_the_cells_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_open, "PAUSE_S", (0.1, 0.3))
    monkeypatch.setattr(chain_open, "SPEECH_S", (0.5, 0.5))
    told: dict[str, Sequence[Row]] = {}
    async with served(max_sessions=2) as one, served(max_sessions=2) as other:
        bench = CellsBench([Cell("cell 1", one.url), Cell("cell 2", other.url)], replace(EXTENT, measured_s=4.0))
        await bench.opened(lambda name, rows: told.update({name: list(rows)}))
    (both,) = told["open: cells 2, callers 2"]
    by_cell = told["open: cells 2, callers 2: by cell"]
    assert [row["callers"] for row in by_cell] == [1, 1]
    assert both["n"] > 0
    assert (sum(row["n"] for row in by_cell), both["broken"], both["refused"]) == (both["n"], 0, 0)
    assert (told[VERDICT][0]["callers"], told[VERDICT][0]["callers_of_all"]) == (1, 2)
