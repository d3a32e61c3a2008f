"""The bench's measurements over the wire, against a real server with scripted engines: what takes long is seen to."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from infra.bench.latency import asking, cancels
from infra.bench.load.run import Plan
from infra.bench.load.script import CallerProfile
from infra.bench.soak.callers import SoakTally, call_again_and_again
from infra.bench.soak.wire_callers import over_the_wire
from pipeline.engines.fake import speaks, writes
from tests.gpu.chain_cancels import cancelled
from tests.gpu.chain_measures import TINY, Bench
from tests.gpu.chain_open_section import opened
from tests.gpu.chain_processes import run_share, shared
from tests.gpu.sections import Row
from tests.scenario import Line
from tests.served import KEY, served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

QUESTION = np.full(24_000 // 2, 12_000, "<i2").tobytes()
DROP_S = 0.5  # until the language model has dropped what is cancelled


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def slow() -> Line:
    """It says much, and takes its time."""
    writer = writes("One. " * 100, first_s=0.1, word_s=0.03)
    return Line(aura=replace(writer, abort_s=DROP_S), tts=speaks(clause_s=0.3))


async def test_a_question_is_asked_as_the_agent_asks_it() -> None:
    async with served(Line(tts=speaks(clause_s=0.3))) as server:
        taken = await asking.measure(server.url, KEY, [QUESTION])
    (since_speech,) = taken["pipeline: last speech → first audio"]
    (since_create,) = taken["pipeline: response.create → first audio"]
    (spoken,) = taken["  of it: from text to sound"]
    assert since_speech > since_create > 0
    assert spoken > 0.25


async def test_a_cancelled_answer_is_over_at_once_and_its_engine_when_it_has_dropped_it() -> None:
    async with served(slow()) as server:
        taken = await cancels.measure(server.url, KEY, 2)
    assert max(taken["pipeline: cancel → caller released"]) < DROP_S
    for what in ("read", "wrote"):
        idle = taken[f"pipeline: cancel → language model idle, that {what}"]
        assert len(idle) == 2 and min(idle) > 0.9 * DROP_S, "a busy machine may take longer, none is sooner"


async def test_a_soaks_caller_without_a_room_is_answered_and_told_of_when_nobody_answers() -> None:
    answered, failed = SoakTally(), SoakTally()
    clock = asyncio.get_running_loop().time
    async with served() as server:
        call = over_the_wire(server.url, KEY, [QUESTION], answered)
        await call_again_and_again(call, answered, "caller", 1, clock() + 0.1)
    assert answered.counts["calls"] == 1
    assert answered.counts["answered"] == len(answered.waits) >= 1
    assert answered.counts["unanswered"] == 0
    await call_again_and_again(over_the_wire(server.url, KEY, [QUESTION], failed), failed, "caller", 1, clock() + 0.1)
    assert dict(failed.counts) == {"unanswered": 1}


async def test_the_chains_answers_are_cancelled_in_every_state() -> None:
    tables: dict[str, Sequence[Row]] = {}
    async with served(slow()) as server:
        await cancelled(Bench(server.url, TINY), tables.__setitem__)
    rows = {str(row["cancelled"]): row for row in tables["cancel → idle"]}
    assert set(rows) == {"heard", "sounds", "long"}
    for row in rows.values():
        assert {f"{what}_ms_p{at}" for what in ("done", "asr", "aura", "tts", "all") for at in (50, 95)} < set(row)
    assert float(rows["sounds"]["aura_ms_p50"]) > 900 * DROP_S > float(rows["sounds"]["done_ms_p50"])


async def test_a_loads_callers_are_in_processes_of_their_own_and_begin_together() -> None:
    async with served(Line(tts=speaks(clause_s=0.3))) as server:
        bench = Bench(server.url, TINY, processes=2)
        found = await bench.load(3, 2)
    assert [each.status for each in found] == ["completed"] * 6
    first = [each.at for each in found if each.turn == 1]
    assert len(first) == 3 and all(TINY.speech_s < at < 5.0 for at in first), "in seconds of the load"


async def test_what_fails_in_a_process_of_callers_is_told() -> None:
    nowhere = Plan((), "", 1, CallerProfile(1, 1), [b""], rings=(0.0,))
    async with shared(1, run_share, nowhere) as begin:
        with pytest.raises(RuntimeError, match="a process of callers has failed"):
            await begin(0.0)


async def test_of_an_open_load_what_is_asked_in_the_time_that_counts_is_told() -> None:
    tables: dict[str, Sequence[Row]] = {}
    extent = replace(TINY, open=(4,), ramp_s=1.0, measured_s=16.0)
    async with served(Line(tts=speaks(clause_s=0.3))) as server:
        bench = Bench(server.url, extent, processes=2)
        await opened(bench, tables.__setitem__)
    (row,) = tables["open 4"]
    assert 17.0 <= row["took_s"] < 17.0 + 5.0, "who is in a pause or a question then hangs up"
    assert row["n"] == row["completed"] > 2, "a pause and a question are 23 s at most: not all ask so soon"
    assert row["asked_a_second"] == row["n"] / 16.0
    assert 0 < row["first_ms_p50"] <= row["first_ms_p95"] <= row["first_ms_most"]
    assert (row["unanswered"], row["broken_calls_so_far"], row["failure"]) == (0, 0, "")
    assert all(1.0 <= each.at < 17.0 for each in bench.served) and len(bench.served) == row["n"]
