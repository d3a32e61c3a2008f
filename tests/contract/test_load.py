"""The load test against a real server with scripted engines: what it reports is what happened."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from infra.bench.base.speech import write_wav
from infra.bench.load.cli import camera, main, tell
from infra.bench.load.options import PCM, session, url
from infra.bench.load.placing import Placing
from infra.bench.load.report import Load, draw, plain, table
from infra.bench.load.run import Measured, Plan, run
from infra.bench.load.script import CallerProfile
from pipeline.engines.fake import FakeEngine, speaks, writes
from pipeline.errors import EngineError
from pipeline.realtime.client import PipelineFull
from tests.scenario import Line
from tests.served import KEY, Served, served

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

ROOT = Path(__file__).parents[2]
QUESTION = np.full(24_000 // 2, 12_000, np.int16)


def plan(server: Served, *, interruptions: float = 0.0, callers: int = 1, camera_on: bool = False) -> Plan:
    engine_settings = CallerProfile(2, 1, interruptions, pause_s=0.1)
    frames = camera(0) if camera_on else ()
    return Plan([server.url], KEY, 0, engine_settings, [QUESTION.tobytes()], frames, callers)


async def test_every_question_is_answered_and_timed() -> None:
    async with served() as server:
        load = await run(plan(server, callers=2, camera_on=True))
    assert [each.status for each in load.served] == ["completed"] * 4
    assert all(each.first_audio and each.done and each.audio_s > 0 and not each.errors for each in load.served)
    assert all("first_pcm" in each.moments for each in load.served)
    assert [each.turn for each in load.served].count(2) == 2
    assert (load.refused, load.failed) == (0, 0)


async def test_what_a_session_wishes_takes_no_turn_from_its_caller() -> None:
    line = Line()
    wishes = {"audio": {"input": {"transcription": {"prompt": "Wouter"}, "turn_detection": {"type": "server_vad"}}}}
    async with served(line) as server:
        slow = np.concatenate([QUESTION, np.zeros(24_000, np.int16)]).tobytes()
        load = await run(replace(plan(server), session=wishes, recordings=[slow]))
    assert [(each.status, each.errors) for each in load.served] == [("completed", ())] * 2
    assert {window.context for window in line.asr.prompts} == {"Wouter"}


async def test_answers_that_are_interrupted_are_cancelled_and_sound_no_more() -> None:
    line = Line(aura=writes("One. " * 20), tts=speaks(clause_s=1.0))
    async with served(line) as server:
        load = await run(plan(server, interruptions=1.0))
    assert [each.status for each in load.served] == ["cancelled"] * 2
    assert all(each.released is not None and each.released < 5 and each.last_audio == 0.0 for each in load.served)


async def test_callers_that_find_no_place_are_counted() -> None:
    async with served(max_sessions=1) as server:
        load = await run(plan(server, callers=3))
    assert (len(load.served), load.refused, load.failed) == (2, 2, 0)


async def test_at_several_servers_each_caller_goes_where_most_places_are_free() -> None:
    async with served() as gone:
        """Nobody answers there any more."""
    measured = Measured()
    async with served(max_sessions=3) as large, served(max_sessions=1) as small:
        urls = [gone.url, small.url, large.url]
        load = await run(replace(plan(gone, callers=4), urls=urls), measured)
    assert measured.callers == {large.url: 3, small.url: 1}
    assert (measured.refused, measured.failed) == (0, 0)
    assert sorted(map(len, measured.by_server.values())) == [2, 6]
    assert sum(map(len, measured.by_server.values())) == len(measured.served)
    assert f"{large.url}: 3 callers, 6 questions\n{small.url}: 1 callers, 2 questions\n" in table(load)
    assert plain(load)["servers"] == {
        large.url: {"callers": 3, "questions": 6},
        small.url: {"callers": 1, "questions": 2},
    }


async def test_callers_in_step_speak_when_each_has_a_place_or_knows_that_there_is_none() -> None:
    async with served(max_sessions=1) as full, served(max_sessions=2) as other:
        placing, began = Placing([full.url, other.url], KEY, together=4), list[str]()

        async def call(name: str) -> None:
            async with placing.connected():
                began.append(name)
                await asyncio.sleep(0.2)

        async with asyncio.TaskGroup() as tasks:
            calls = [tasks.create_task(call(name)) for name in "abc"]
            async with asyncio.timeout(60):
                while full.pipeline.free_sessions + other.pipeline.free_sessions:  # noqa: ASYNC110 - only by asking
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)  # in which whoever is connected could begin
            assert not began
            with pytest.raises(PipelineFull):
                await call("d")
            await asyncio.wait(calls)
    assert sorted(began) == ["a", "b", "c"]


async def test_a_server_that_is_not_there_is_a_call_that_broke_off() -> None:
    async with served() as server:
        nobody = plan(server)
    load = await run(nobody)
    assert (load.served, load.refused, load.failed) == ((), 0, 1)


async def test_a_server_that_leaves_takes_nothing_with_it_that_was_measured() -> None:
    line = long_winded()
    async with asyncio.TaskGroup() as tasks:
        async with served(line) as server:
            running = tasks.create_task(run(plan(server)))
            await request(line, 2)
        load = await running
    assert [(each.turn, each.status) for each in load.served] == [(1, "completed"), (2, "lost")]
    assert (load.refused, load.failed) == (0, 1)


async def test_calls_that_broke_off_are_told_at_the_end_and_by_the_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_wav(tmp_path / "question.wav", QUESTION, rate=24_000)
    out, line = tmp_path / "load.json", long_winded()
    options = ["--pause", "0.1", "--turns", "2", "--recordings", str(tmp_path), "--out", str(out)]
    async with asyncio.TaskGroup() as tasks, served(line) as server:
        program = asyncio.to_thread(main, ["--url", server.url, *options], {"AURA_PIPELINE_KEY": KEY})
        running = tasks.create_task(program)
        await request(line, 2)
    assert [each["status"] for each in json.loads(out.read_text())["served"]] == ["completed", "lost"]
    why = capsys.readouterr().err.splitlines()
    assert (running.result(), why[-1]) == (1, why[0].replace("caller 1: ", "1 calls broke off; the first: "))
    assert why[-1].removeprefix("1 calls broke off; the first: ") == json.loads(out.read_text())["failure"] != ""


async def test_a_run_in_which_no_call_broke_off_succeeds_though_some_found_no_place(tmp_path: Path) -> None:
    write_wav(tmp_path / "question.wav", QUESTION, rate=24_000)
    options = ["--turns", "1", "--callers", "2", "--recordings", str(tmp_path), "--out", str(tmp_path / "load.json")]
    async with served(max_sessions=1) as server:
        status = await asyncio.to_thread(main, ["--url", server.url, *options], {"AURA_PIPELINE_KEY": KEY})
    load = json.loads((tmp_path / "load.json").read_text())
    assert (status, load["refused"], load["failed"], load["failure"]) == (0, 1, 0, "")


async def test_a_run_in_which_no_question_was_answered_fails_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_wav(tmp_path / "question.wav", QUESTION, rate=24_000)
    options = ["--turns", "1", "--recordings", str(tmp_path), "--out", str(tmp_path / "load.json")]
    async with served(Line(aura=FakeEngine(lambda chat: [(0.0, EngineError("aura", "gone"))]))) as server:
        status = await asyncio.to_thread(main, ["--url", f"{server.url}/v1", *options], {"AURA_PIPELINE_KEY": KEY})
    load = json.loads((tmp_path / "load.json").read_text())
    assert ([each["status"] for each in load["served"]], load["failed"]) == (["failed"], 0)
    assert (status, capsys.readouterr().err) == (1, "no question was answered\n")


async def test_after_ctrl_c_all_is_told_that_was_measured(tmp_path: Path) -> None:
    write_wav(tmp_path / "question.wav", QUESTION, rate=24_000)
    out, line = tmp_path / "load.json", long_winded()
    async with served(line) as server:
        arguments = ["--url", server.url, "--pause", "0.1", "--recordings", tmp_path, "--out", out]
        program = [sys.executable, "-m", "infra.bench.load", *map(str, arguments)]
        environ = {"AURA_PIPELINE_KEY": KEY}
        process = await asyncio.create_subprocess_exec(*program, cwd=ROOT, env=environ, stdout=PIPE, stderr=PIPE)
        try:
            await request(line, 2)
            process.send_signal(signal.SIGINT)
            output, errors = await asyncio.wait_for(process.communicate(), 30)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert (process.returncode, errors.decode()) == (130, "")
    assert output.decode().startswith("closed, 1 callers, interrupted: 1 questions in ")
    load = json.loads(out.read_text())
    assert [each["status"] for each in load["served"]] == ["completed"]
    assert out.with_suffix(".svg").exists()


def long_winded() -> Line:
    """The first answer ends; of any later one only the first word comes in time."""
    answers = iter(["One."])
    return Line(aura=writes(lambda chat: next(answers, "One. " * 100), word_s=1.0))


async def request(line: Line, questions: int) -> None:
    async with asyncio.timeout(60):
        while len(line.questions) < questions:  # noqa: ASYNC110 - only by asking
            await asyncio.sleep(0.01)


async def test_the_plot_is_drawn(tmp_path: Path) -> None:
    async with served() as server:
        draw(await run(plan(server)), tmp_path / "load.svg")
    assert ElementTree.parse(tmp_path / "load.svg").getroot().tag.endswith("svg")


def test_where_no_plot_can_be_drawn_it_is_told_what_would_help(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(Load("closed, 1 callers", 1.0, ()), tmp_path / "load.json", draws=False)
    assert "plot: none, for want of matplotlib, which infra/test installs" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["load.json"]


def test_recordings_that_cannot_be_used_are_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_wav(tmp_path / "question.wav", QUESTION, rate=8_000)
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1", "--recordings", str(tmp_path)], {})
    assert "question.wav is not PCM16, 24 kHz mono" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"no sound", None])
def test_a_recording_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    path = tmp_path / "question.wav"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1", "--recordings", str(tmp_path)], {})
    assert f"--recordings: {path} cannot be read as a WAV file" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["foo", "", "ftp://x", "http://h:99999", "http://", "http://h?x=1"])
def test_what_is_no_address_is_wrong_usage(capsys: pytest.CaptureFixture[str], wrong: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--url", wrong], {})
    assert f"argument --url: {wrong!r} is no address of a server" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/realtime", "/v1/realtime/"])
def test_an_address_may_have_the_protocols_own_path(path: str) -> None:
    assert url(f"wss://host:1/one{path}") == "wss://host:1/one"


@pytest.mark.parametrize("audio", [{}, {"input": {"format": {"type": "audio/pcm"}}}, {"output": {"format": dict(PCM)}}])
def test_a_session_may_say_the_formats_that_callers_speak_and_measure(audio: object) -> None:
    assert session(json.dumps({"audio": audio})) == {"audio": audio}


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("nowhere/load.json", "nowhere/load.json cannot be written: No such file or directory"),
        ("", "cannot be written: Is a directory"),
        ("load.svg", "load.svg is where the plot goes: name a file for the JSON"),
    ],
)
def test_a_place_for_the_results_that_cannot_be_is_told_before_anybody_rings_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str, reason: str
) -> None:
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1", "--out", str(tmp_path / out)], {})
    assert reason in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


async def test_an_open_loop_in_which_nobody_rings_up_asks_nothing() -> None:
    async with served() as server:
        load = await run(replace(plan(server), rings=()))
    assert (load.kind, load.served) == ("open, 0 calls", ())


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--session", "3", "argument --session: '3' is not a JSON object"),
        ("--session", "[", "argument --session: '[' is not a JSON object"),
        ("--session", '{"audio": 5}', "argument --session: audio: 5 is not a JSON object"),
        ("--session", '{"audio": {"input": null}}', "argument --session: audio.input: null is not a JSON object"),
        ("--session", '{"audio": {"input": {"format": {"type": "audio/pcmu"}}}}', "audio.input.format: a load test"),
        (
            "--session",
            '{"audio": {"output": {"format": {"type": "audio/pcm", "rate": 16000}}}}',
            'audio.output.format: a load test speaks and measures {"type": "audio/pcm", "rate": 24000} only',
        ),
        ("--rate", "1e300", "argument --rate: '1e300' is not a number above 0, up to 6000"),
        ("--rate", "nan", "argument --rate: 'nan' is not a number above 0, up to 6000"),
        ("--minutes", "1e9", "argument --minutes: '1e9' is not a number above 0, up to 1440"),
        ("--callers", "1000000", "argument --callers: '1000000' is not a number from 1 to 100000"),
        ("--recordings", "/nowhere", "argument --recordings: there is no folder '/nowhere'"),
        ("--recordings", __file__, f"argument --recordings: there is no folder {__file__!r}"),
        ("--recordings", "", "argument --recordings: there is no folder ''"),
        ("--minutes", "0.0001", "--rate, --minutes: with seed 0 nobody rings up in 0.0001 minutes"),
        ("--callers", "4", "--callers: in an open loop (--rate) there are as many as ring up"),
    ],
)
def test_what_nobody_can_do_is_told_before_anybody_rings_up(
    capsys: pytest.CaptureFixture[str], option: str, value: str, reason: str
) -> None:
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1", "--rate", "1", option, value], {})
    assert reason in capsys.readouterr().err


def test_more_calls_than_anybody_means_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1", "--rate", "6000", "--minutes", "1440"], {})
    assert "--rate, --minutes: these are 8640000 calls, and 100000 are the most" in capsys.readouterr().err


def test_a_closed_loop_takes_no_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1:1", "--minutes", "3"], {})
    assert "--minutes: is for an open loop (--rate); a closed one ends with its --turns" in capsys.readouterr().err
