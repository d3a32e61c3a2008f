"""A conversation from a shell, without a sound card and without a room."""

import asyncio
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from infra.bench.base.speech import PersonVoice, read_wav, write_wav
from tests.e2e.recogniser import Recogniser
from tests.e2e.stack import ROOT, Stack

pytestmark = pytest.mark.anyio

WAIT_S = "90"  # for an answer; a second, where nothing else runs
PATIENCE_S = 150.0


async def console(stack: Stack, *arguments: str, typed: str = "") -> str:
    """What `aura-agent console` prints, told nothing but where the stack's state is."""
    program = stack.layout.venv / "bin" / "aura-agent"
    environ = {name: value for name, value in stack.environ.items() if not name.startswith("AURA_")}
    process = await asyncio.create_subprocess_exec(
        str(program),
        *("console", "--wait", WAIT_S, *arguments),
        cwd=ROOT,
        env={**environ, "AURA_HOME": str(stack.layout.run)},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            output, errors = await process.communicate(typed.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, f"{process.returncode}\n{output.decode()}\n{errors.decode()}"
    return output.decode()


async def test_a_recording_is_answered_with_a_recording(
    stack: Stack, voice: PersonVoice, ears: Recogniser, tmp_path: Path
) -> None:
    question = write_wav(tmp_path / "question.wav", voice.say("What is the capital of France?"))
    answer = tmp_path / "answer.wav"
    printed = await console(stack, "--wav", str(question), str(answer))
    assert "France" in printed and "Paris" in printed
    assert "Paris" in ears.understand(*read_wav(answer))


async def test_typed_questions_are_answered_in_writing(stack: Stack) -> None:
    printed = await console(stack, "--text", typed="What is the capital of France?\nAnd of Italy?\n")
    assert "Paris" in printed and "Rome" in printed
