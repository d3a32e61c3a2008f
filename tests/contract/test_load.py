"""The load test against a real server with scripted engines: what it reports is what happened."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from infra.bench.load import Plan, camera, main, run
from infra.bench.load_report import draw
from infra.bench.script import Manner
from pipeline.engines.scripted import speaks, writes
from tests.e2e.speech import write_wav
from tests.scenario import Line
from tests.served import KEY, Served, served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

QUESTION = np.full(24_000 // 2, 12_000, np.int16)


def plan(server: Served, *, interruptions: float = 0.0, callers: int = 1, camera_on: bool = False) -> Plan:
    manner = Manner(2, 1, interruptions, pause_s=0.1)
    frames = camera(0) if camera_on else ()
    return Plan(server.url, KEY, 0, manner, [QUESTION.tobytes()], frames, callers)


async def test_every_question_is_answered_and_timed() -> None:
    async with served() as server:
        load = await run(plan(server, callers=2, camera_on=True))
    assert [each.status for each in load.served] == ["completed"] * 4
    assert all(each.first_audio and each.done and each.audio_s > 0 and not each.errors for each in load.served)
    assert all("first_pcm" in each.moments for each in load.served)
    assert [each.turn for each in load.served].count(2) == 2
    assert (load.refused, load.failed) == (0, 0)


async def test_answers_that_are_interrupted_are_cancelled_and_sound_no_more() -> None:
    line = Line(aura=writes("One. " * 20), tts=speaks(clause_s=1.0))
    async with served(line) as server:
        load = await run(plan(server, interruptions=1.0))
    assert [each.status for each in load.served] == ["cancelled"] * 2
    assert all(each.released is not None and each.released < 0.5 and each.last_audio == 0.0 for each in load.served)


async def test_callers_that_find_no_place_are_counted() -> None:
    async with served(max_sessions=1) as server:
        load = await run(plan(server, callers=3))
    assert (len(load.served), load.refused, load.failed) == (2, 2, 0)


async def test_a_server_that_is_not_there_is_a_call_that_broke_off() -> None:
    async with served() as server:
        nobody = plan(server)
    load = await run(nobody)
    assert (load.served, load.refused, load.failed) == ((), 0, 1)


async def test_the_plot_is_drawn(tmp_path: Path) -> None:
    async with served() as server:
        draw(await run(plan(server)), tmp_path / "load.svg")
    assert ElementTree.parse(tmp_path / "load.svg").getroot().tag.endswith("svg")


def test_recordings_that_cannot_be_used_are_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_wav(tmp_path / "question.wav", QUESTION, rate=8_000)
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1", "--recordings", str(tmp_path)], {})
    assert "question.wav is not PCM16, 24 kHz mono" in capsys.readouterr().err
