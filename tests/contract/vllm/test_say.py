"""`aura-pipeline say` as a person uses it: a tiny checkpoint, a terminal, Ctrl-C. Times are real."""

import argparse
import asyncio
import json
import os
import secrets
import signal
import sys
import wave
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from infra.launcher.supervise.leftovers import leftovers
from pipeline.cli.say import add_say, run_say
from pipeline.errors import RequestError
from pipeline.types.chunks import FRAME_SAMPLES
from tests.contract.embedded import MODULE_BACKEND
from tests.contract.vllm.cases import CASES, GOLDENS
from tests.contract.vllm.tiny import Kind
from tests.pipeline.models.qwen3_tts import seeded_codec

pytestmark = pytest.mark.vllm

COMMAND = (sys.executable, "-c", "from pipeline.cli.main import main; main()", "say")
GREEDY = {"do_sample": False, "subtalker_dosample": False}
CASE = 7  # "No, thank you very much."
MARK = "AURA_SAYING"  # all of its processes carry it
MANNER = ("--voice", "vivian", "--language", "english")
START_S = 900.0  # two processes one after the other import vLLM, which takes 15 s on a quiet machine
STOP_S = 120.0
GONE_S = 60.0  # until the last child has been buried


class Saying:
    """The command, with a terminal for what it says to people, in a process group as a shell makes them."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, terminal: asyncio.StreamReader) -> None:
        self.process = process
        self.told = ""
        self._name = name
        self._terminal = terminal

    @classmethod
    async def begin(cls, *arguments: str | Path) -> "Saying":
        ours, theirs = os.openpty()
        name = secrets.token_hex(8)
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            process_group=0,
            env={**os.environ, MARK: name},
        )
        os.close(theirs)
        terminal = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(terminal), os.fdopen(ours, "rb")
        )
        return cls(name, process, terminal)

    async def until(self, words: str) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(START_S):
                while words not in self.told and await self._read():
                    pass
        assert words in self.told, f"within {START_S:.0f} s it told {self.told!r}"

    async def ends(self) -> int:
        """Its exit code, when all of its processes have gone."""
        async with asyncio.timeout(STOP_S):
            while await self._read():
                pass
            return await self.process.wait()

    def interrupt(self) -> None:
        """Ctrl-C: every process of the group gets it."""
        assert len(leftovers(self._name, MARK)) > 2, "its engines run"
        os.killpg(self.process.pid, signal.SIGINT)

    async def is_gone(self) -> bool:
        """Whether none of its processes is left, a little later."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GONE_S):
                while leftovers(self._name, MARK):  # noqa: ASYNC110 - no process tells us
                    await asyncio.sleep(0.1)
        return not leftovers(self._name, MARK)

    async def _read(self) -> bool:
        try:
            read = await self._terminal.read(4_096)
        except OSError:  # nobody holds the terminal any more
            read = b""
        self.told += read.decode()
        return bool(read)


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def voice(vllm_on_a_cpu: None, checkpoint: Callable[[Kind], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("say") / "voice"
    checkpoint("custom_voice").rename(folder)
    seeded_codec.write(folder)
    (folder / "generation_config.json").write_text(json.dumps(GREEDY))
    return folder


@pytest.fixture(scope="module")
async def two(voice: Path) -> AsyncIterator[tuple[Saying, Saying]]:
    """One is left to end, the other is interrupted; they start side by side."""
    long = "This could be spoken for a long time, and on, and on. " * 20
    texts = CASES[CASE].text, long
    both = [
        await Saying.begin(text, "-o", voice.parent / f"{at}.wav", "--model", voice, *MANNER)
        for at, text in enumerate(texts)
    ]
    yield both[0], both[1]
    for each in both:
        if each.process.returncode is None:
            os.killpg(each.process.pid, signal.SIGKILL)
            await each.process.wait()


def samples(path: Path) -> np.ndarray[Any, np.dtype[np.int16]]:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


async def test_a_text_is_spoken_into_a_file(two: tuple[Saying, Saying], voice: Path) -> None:
    saying, _ = two
    await saying.until("0.wav: ")
    assert await saying.ends() == 0
    frames = len(np.load(GOLDENS)[f"case_{CASE}"])
    sound = samples(voice.parent / "0.wav")
    assert len(sound) == frames * FRAME_SAMPLES, "as long as the official package speaks"
    assert sound.std() > 1_000
    assert "\rstarting the voice …" in saying.told
    assert "\r0.1 s of speech, the first after " in saying.told, "it tells how far it is"
    *_, last = (line for line in saying.told.strip().splitlines() if "resource_tracker" not in line)  # Python's own
    assert f"0.wav: {frames * 0.08:.1f} s of speech, the first after " in last
    assert "Traceback" not in saying.told


async def test_ctrl_c_ends_it_at_once_and_leaves_what_was_spoken(two: tuple[Saying, Saying], voice: Path) -> None:
    _, saying = two
    await saying.until("s of speech")
    saying.interrupt()
    assert await saying.ends() == 130
    assert "Traceback" not in saying.told
    assert await saying.is_gone()
    assert samples(voice.parent / "1.wav").size


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--voice", "bob"), "unknown voice `bob`; this checkpoint has eric, vivian"),
        (("--language", "klingon"), "unknown language `klingon`; this checkpoint has chinese, english"),
    ],
)
def test_what_the_voice_lacks_is_refused_before_an_engine_starts(
    voice: Path, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    with pytest.raises(RequestError, match=told):
        run_say(command("Hi.", "-o", str(tmp_path / "out.wav"), "--model", str(voice), *options), tmp_path)
    assert list(tmp_path.iterdir()) == []


def command(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_say(parser.add_subparsers())
    return parser.parse_args(["say", *arguments])
