"""What a soak found is told as growth and as a line each minute, and is kept whole, also when it is ended."""

import asyncio
import json
import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from infra.bench.soak.cli import keep_when_terminated, main
from infra.bench.soak.leftovers import Held
from infra.bench.soak.report import SoakFindings, figures, growth, keep, progress, report

WAS = Held(processes=2, pss_mb=120.0, anonymous_mb=80.0, files=7, sockets=3, threads=5, tasks=4)


def found() -> SoakFindings:
    after = {"redis": WAS, "pipeline": replace(WAS, anonymous_mb=82.0), "agent": replace(WAS, anonymous_mb=79.0)}
    it = SoakFindings("scripted", callers=3)
    it.minutes.update(warm=1.0, churn=12.04)
    it.held.update(warm=dict.fromkeys(("redis", "pipeline", "agent"), WAS), churn=after)
    it.tally.counts.update(calls=4, answered=9)
    it.tally.waits += [0.5, 0.7, 0.6]
    it.loads.extend([2.0, 3.0])
    return it


def test_growth_is_told_in_percent_of_what_pipeline_and_agent_held_before() -> None:
    assert growth(found().held) == {"pipeline": 2.5, "agent": -1.25}
    assert growth({"warm": {"pipeline": WAS}}) == {}


def test_the_figures_say_who_answered_for_how_long_and_how_busy_the_machine_was() -> None:
    told = figures(found())
    assert {name: told[name] for name in ("engines", "callers", "minutes", "load", "counts")} == {
        "engines": "scripted",
        "callers": 3,
        "minutes": {"warm": 1.0, "churn": 12.0},
        "load": 2.5,
        "counts": {"calls": 4, "answered": 9},
    }
    assert (told["wait_p50_s"], told["wait_p95_s"]) == (0.6, 0.7)
    assert told["leaks"] == {"pipeline": {"anonymous_mb": (80.0, 82.0)}}
    assert "growth_percent: {'pipeline': 2.5, 'agent': -1.25}" in report(found())


def test_a_soak_that_has_only_begun_can_be_told() -> None:
    assert figures(SoakFindings("scripted", 1))["load"] is None
    report(SoakFindings("scripted", 1))


def test_each_minute_is_one_line() -> None:
    line = progress(found(), {"pipeline": 81.5, "agent": 90.0})
    assert line == "churn, minute 12: 9 answered, 4 calls; pipeline 81.5 MB, agent 90 MB; load 3.0"
    begun = SoakFindings("scripted", 1, minutes={"warm": 0.0})
    assert progress(begun, {}) == "warm, minute 0: nothing"


def test_figures_that_are_there_are_replaced_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    out.write_text("what was there")
    with out.open() as before:
        keep(found(), out)
        assert before.read() == "what was there", "whoever reads it meanwhile is not given half of the new one"
    assert json.loads(out.read_text())["callers"] == 3
    assert [each.name for each in tmp_path.iterdir()] == ["figures.json"]


def test_sigterm_keeps_what_was_found_and_ends_the_soak(tmp_path: Path) -> None:
    out, it = tmp_path / "figures.json", found()

    async def soaks() -> None:
        keep_when_terminated(it, out)
        it.faults["engine"] += 1
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(soaks())
    assert Counter(json.loads(out.read_text())["faults"]) == {"engine": 1}


def test_sigterm_ends_the_soak_though_nothing_can_be_kept(tmp_path: Path) -> None:
    async def soaks() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context["exception"]))
        keep_when_terminated(found(), tmp_path / "gone" / "figures.json")
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(30)

    told = list[object]()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(soaks())
    assert [type(each) for each in told] == [FileNotFoundError]


def test_a_place_for_the_figures_that_cannot_be_is_told_before_anything_is_started(tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "figures.json"
    with pytest.raises(SystemExit, match=f"--out: {out} cannot be written: No such file or directory"):
        main(["--out", str(out)], {"AURA_HOME": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []
