"""The options of `aura-agent console`, and what it reads."""

import argparse
import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent.console.command import _typed, add_console, run_console

TYPED = """
import asyncio, sys
from agent.console.console import typed_lines

async def repeat():
    async for line in typed_lines(sys.stdin):
        print(line, flush=True)

try:
    asyncio.run(repeat())
except KeyboardInterrupt:
    print("given up", flush=True)
"""


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_console(parser.add_subparsers())
    return parser.parse_args(["console", *arguments])


def test_what_is_typed_and_no_text_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nhi\n"), "utf-8", "surrogateescape"))
    assert _typed().readlines() == ["\ufffd\ufffd\n", "hi\n"]


@pytest.mark.parametrize("seconds", ["-3", "0", "soon", "nan"])
def test_a_wait_that_is_none_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed("--text", "--wait", seconds)
    assert f"'{seconds}' is not a number of seconds" in capsys.readouterr().err


def test_the_answer_does_not_take_the_questions_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "one.wav"
    file.write_bytes(b"RIFF")
    assert run_console(parsed("--wav", str(file), str(file))) == 2
    assert "cannot be the question and the answer" in capsys.readouterr().err
    assert file.read_bytes() == b"RIFF"


def test_a_room_without_a_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_console(parsed("--text", "--connect", "")) == 2
    assert "--connect: the room has no name" in capsys.readouterr().err


def test_who_presses_ctrl_c_need_not_write_another_line_first() -> None:
    with subprocess.Popen([sys.executable, "-c", TYPED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as typing:
        assert typing.stdin and typing.stdout
        typing.stdin.write(b"hello\n")
        typing.stdin.flush()
        assert typing.stdout.readline() == b"hello\n"
        typing.send_signal(signal.SIGINT)
        try:
            typing.wait(20)  # its input is still open
        finally:
            typing.kill()
        assert typing.stdout.read() == b"given up\n"
