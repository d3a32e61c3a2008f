"""The worked example of `docs/add-a-model.md`, as it stands there: built, installed, checked, asked and called."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipeline.realtime.about import ask_about
from pipeline.realtime.client import Unreachable, connect, readiness
from tests.contract.wire_wait import PATIENCE_S
from tests.served import KEY
from tests.worked_example import worked_example

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[2]
QUESTION = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Good morning!"}]}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page, and in `site` what installing their wheel leaves."""
    folder = tmp_path_factory.mktemp("aura-parrot")
    worked_example(folder)
    return folder


def environ(example: Path, **more: str) -> Mapping[str, str]:
    return {**os.environ, **more, "PYTHONPATH": os.pathsep.join((str(ROOT), str(example / "site")))}


def run(example: Path, *command: str | Path) -> str:
    """What a command says of itself, in a folder without the package's source."""
    argv = [sys.executable, *map(str, command)]
    told = environ(example)
    ended = subprocess.run(argv, cwd=example / "site", env=told, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_it_is_a_package_of_less_than_two_hundred_lines(example: Path) -> None:
    sources = [file for file in example.rglob("*") if file.is_file() and "site" not in file.parts]
    texts = [file.read_text() for file in sources if file.suffix in (".py", ".toml", ".yaml")]
    assert len(texts) == 6 and sum(len(text.splitlines()) for text in texts) < 200


def test_its_own_tests_pass(example: Path) -> None:
    assert "2 passed" in run(example, "-m", "pytest", "-q", "-p", "no:cacheprovider", example / "test_chimes.py")


def test_it_is_found_checked_and_asked_from_python(example: Path, models_dir: Path) -> None:
    said = run(example, "-m", "pipeline.cli.main", "check", "--profile", "parrot", "--model-dir", models_dir)
    assert said.splitlines()[0] == "parrot: fine, 4 sessions"
    said = run(example, example / "ask.py", example / "site" / "parrot" / "parrot.yaml", models_dir)
    assert said == "Polly wants a cracker. 720 ms\n", "18 letters of 40 ms"


async def test_it_is_served_and_answers_aloud(example: Path, models_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as output:
        port = output.getsockname()[1]
    options = ("serve", "--profile", "parrot", "--model-dir", str(models_dir), "--port", str(port))
    command = (sys.executable, "-m", "pipeline.cli.main", *options)
    told, url = environ(example, AURA_PIPELINE_KEY=KEY), f"http://127.0.0.1:{port}"
    running = await asyncio.create_subprocess_exec(*command, cwd=example / "site", env=told)
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await ready(url):  # it tells nobody
                assert running.returncode is None
                await asyncio.sleep(0.1)
            about = await ask_about(url, timeout_s=10)
            heard, words = await answered(url)
        running.send_signal(signal.SIGTERM)
        assert await running.wait() == 0
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    assert (about.model, about.voices, about.voice_languages, about.sees) == ("parrot", ("glass",), ("en",), False)
    assert (words, heard) == ("Good morning!", True)


async def answered(url: str) -> tuple[bool, str]:
    """Whether an answer to `QUESTION` was heard, and its words."""
    heard, words = False, ""
    async with connect(url, KEY) as pipeline:
        await pipeline.send({"type": "conversation.item.create", "item": QUESTION})
        await pipeline.send({"type": "response.create"})
        async for event in pipeline:
            heard = heard or event["type"] == "response.output_audio.delta"
            if event["type"] == "response.output_audio_transcript.delta":
                words += event["delta"]
            if event["type"] == "response.done":
                assert event["response"]["status"] == "completed"
                break
    return heard, words


async def ready(url: str) -> bool:
    try:
        return (await readiness(url)).ready
    except Unreachable:
        return False
