"""The chain's open load, and what is metered of a server under load."""

import asyncio
import json
import os
import threading
from collections import Counter
from pathlib import Path
from time import thread_time
from typing import Any

import pytest

from infra.bench.load.answer import Served
from infra.bench.load.run import Measured, Plan, Share, merged
from infra.bench.load.script import Ask, CallerProfile
from tests.gpu.chain_meters import Metered, cpu_times, metered, thread_rows, wait_rows
from tests.gpu.chain_open import PAUSE_S, SPEECH_S, OpenLoad, Script, call_open, lengths, rings
from tests.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}


def test_people_ring_up_one_after_the_other_and_the_same_ones_at_the_next_run() -> None:
    when = rings(7, 32, 15.0)
    assert len(when) == 32 and list(when) == sorted(when)
    assert 0.0 < when[0] < 3.0 and 12.0 < when[-1] < 15.0
    assert when == rings(7, 32, 15.0) != rings(8, 32, 15.0)


def test_questions_are_as_long_as_people_speak() -> None:
    assert lengths() == tuple(0.5 * half for half in range(4, 17))
    assert (lengths()[0], lengths()[-1]) == SPEECH_S


async def asked(seed: str, ends: float) -> list[tuple[float, Ask]]:
    """What somebody asks who speaks as soon as their pause is over, and when it is committed."""
    clock = asyncio.get_running_loop().time
    script = Script(seed, clock() + ends, lengths())
    began, asks = clock(), []
    for ask in script:
        await asyncio.sleep(ask.pause_s + lengths()[ask.question])
        assert clock() == pytest.approx(script.commits)
        asks.append((clock() - began, ask))
    return asks


async def test_a_caller_pauses_and_speaks_until_time_is_over_and_knows_when_the_newest_question_is_committed() -> None:
    asks = await asked("a", 600.0)
    assert [ask for _, ask in await asked("a", 600.0)] == [ask for _, ask in asks]
    assert asks[-2][0] < 600.0 <= asks[-1][0]
    pauses = [ask.pause_s for _, ask in asks]
    assert pauses[0] < PAUSE_S[1]
    assert min(pauses[1:]) >= PAUSE_S[0] and max(pauses) <= PAUSE_S[1]
    assert len({ask.question for _, ask in asks}) > 8
    assert [ask for _, ask in asks] != [ask for _, ask in await asked("b", 600.0)]


def test_what_is_asked_while_people_still_ring_up_does_not_count() -> None:
    load = OpenLoad(15.0, 45.0)
    turns = [Served(at, "completed", None, 0.1, None, 1.0, ()) for at in (14.9, 15.0, 59.9, 60.0)]
    assert [each.at for each in load.counts(turns)] == [15.0, 59.9]


async def test_a_closed_load_is_no_open_one() -> None:
    with pytest.raises(ValueError, match="`rings`"):
        await call_open(Plan(["http://nowhere"], "key", 1, CallerProfile(1, 1), [b""]), OpenLoad(), Share(), 0.0)


def test_what_was_measured_in_several_processes_is_one_load() -> None:
    one, other = (Served(at, "completed", None, 0.1, None, 1.0, ()) for at in (1.0, 2.0))
    parts = [
        Measured([one], 1, 0, "", 5.0, True, Counter({"a": 2}), {"a": [one]}),
        Measured([other], 0, 2, "gone", 4.0, False, Counter({"a": 1, "b": 1}), {"b": [other]}),
    ]
    whole = merged(parts)
    assert (whole.served, whole.refused, whole.failed, whole.failure) == ([one, other], 1, 2, "gone")
    assert (whole.took_s, whole.ended, whole.by_server) == (5.0, False, {"a": [one], "b": [other]})
    assert whole.callers == {"a": 3, "b": 1} and merged(parts[:1]).ended


def test_waits_are_told_by_model_and_by_what_was_to_be_written() -> None:
    lines: list[dict[str, Any]] = [
        {"threads": {"1": "loop"}},
        *(
            {"model": "AURA", "most": 16, "around_ms": 3.0, "wait_ms": wait, "step_ms": 10.0, "unread": 20}
            for wait in (1.0, 2.0, 9.0)
        ),
        {"model": "AURA", "most": 1, "around_ms": 3.0, "wait_ms": 30.0, "step_ms": 5.0, "unread": 300},
    ]
    prefilled, written = wait_rows(lines)
    assert (prefilled["requests"], prefilled["n"], prefilled["unread_p95"]) == ("prefilled", 1, 300.0)
    assert (written["requests"], written["n"]) == ("written", 3)
    assert (written["wait_ms_p50"], written["wait_ms_p95"], written["step_ms_p50"]) == (2.0, 9.0, 10.0)
    assert written["around_ms_p95"] == 3.0


def test_threads_that_took_most_come_first_under_their_own_names() -> None:
    before = {1: ("python", 1.0), 2: ("python", 5.0)}
    after = {1: ("python", 2.0), 2: ("python", 9.0), **dict.fromkeys(range(3, 12), ("blas", 0.5))}
    rows = thread_rows(before, after, 2.0, {1: "MainThread"})
    assert len(rows) == 8
    assert [(row["thread"], row["comm"], row["cores"]) for row in rows[:3]] == [
        ("python", "python", 2.0), ("MainThread", "python", 0.5), ("blas", "blas", 0.25),
    ]  # fmt: skip


def test_of_a_load_is_metered_what_was_taken_meanwhile_and_what_waited_meanwhile(tmp_path: Path) -> None:
    asyncio.run(metered_load(tmp_path / "requests.jsonl"))  # of a processor: not on virtual time


async def metered_load(requests: Path) -> None:
    told = {"model": "AURA", "most": 16, "around_ms": 3.0, "wait_ms": 1.0, "step_ms": 10.0, "unread": 20}
    earlier = [json.dumps({"threads": {threading.get_native_id(): "the loop"}}), json.dumps(told | {"wait_ms": 99.0})]
    requests.write_text("\n".join(earlier) + "\n")
    async with metered(Metered(os.getpid(), requests)) as meters:
        began = thread_time()
        while thread_time() - began < 0.2:
            """It computes, however long that takes on a busy machine."""
        with requests.open("a") as file:
            file.write(json.dumps(told) + "\n" + '{"half of a li')
    assert meters.load["server_cores"] >= meters.threads[0]["cores"] > 0.0
    assert meters.load["main_thread_cores"] == meters.threads[0]["cores"]
    assert meters.threads[0]["thread"] == "the loop"
    assert [(row["n"], row["wait_ms_p95"]) for row in meters.waits] == [(1, 1.0)]
    assert threading.get_native_id() in cpu_times(os.getpid())


async def test_of_a_server_that_is_not_known_nothing_is_metered() -> None:
    async with metered(None) as meters:
        await asyncio.sleep(1.0)
    assert (meters.load, meters.threads, meters.waits) == ({}, [], [])
