"""A conversation from a shell: with files and in writing, through a sound card, with a camera, in a room."""

import asyncio
import re
import signal
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from infra.bench.base.speech import REPLY_RATE, PersonVoice, read_wav, write_wav
from tests.e2e.pictures import written_page
from tests.e2e.recogniser import Recogniser
from tests.e2e.sound_server import SoundServer, sound_server
from tests.e2e.stack import ROOT, Stack

pytestmark = pytest.mark.anyio

WAIT_S = "90"  # for an answer; a second, where nothing else runs
PATIENCE_S = 60.0


async def console(stack: Stack, *arguments: str, typed: str = "", **told: str) -> str:
    """What `aura-agent console` prints, told where the stack's state is, and nothing but that unless `told`."""
    program = stack.layout.venv / "bin" / "aura-agent"
    environ = {name: value for name, value in stack.environ.items() if not name.startswith("AURA_")}
    process = await asyncio.create_subprocess_exec(
        str(program),
        *("console", "--wait", WAIT_S, *arguments),
        cwd=ROOT,
        env={**environ, **told, "AURA_HOME": str(stack.layout.run)},
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


class Shell:
    """`aura-agent console`, while it runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []

    async def until(self, *words: str) -> str:
        """Return the next line that has all these in it."""
        assert self.process.stdout
        try:
            async with asyncio.timeout(PATIENCE_S):
                while line := (await self.process.stdout.readline()).decode().rstrip():
                    self.lines.append(line)
                    if all(word in line for word in words):
                        return line
        except TimeoutError:
            pass
        raise AssertionError(f"no {words} in\n{self}")

    def __str__(self) -> str:
        return "\n".join(self.lines)


@asynccontextmanager
async def talking(stack: Stack, room: SoundServer, *arguments: str) -> AsyncGenerator[Shell]:
    """A console that talks through the room's microphone and loudspeaker; at the end somebody presses Ctrl-C."""
    program = stack.layout.venv / "bin" / "aura-agent"
    environ = {name: value for name, value in room.environ.items() if not name.startswith(("AURA_", "LIVEKIT_"))}
    process = await asyncio.create_subprocess_exec(
        str(program),
        *("console", "--wait", WAIT_S, *arguments),
        cwd=ROOT,
        env={**environ, "AURA_HOME": str(stack.layout.run)},
        stdout=PIPE,
        stderr=PIPE,
    )
    shell = Shell(process)
    try:
        yield shell
        process.send_signal(signal.SIGINT)
        _, errors = await asyncio.wait_for(process.communicate(), 20)
        assert (process.returncode, errors.decode()) == (130, "")
    except BaseException as error:
        error.add_note(str(shell))
        raise
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def converse_over_loudspeakers(shell: Shell, room: SoundServer, voice: PersonVoice, ears: Recogniser) -> None:
    """The greeting is heard to its end, a question is answered, a long answer is cut by who speaks over it."""
    async with room.listening(REPLY_RATE) as ear:
        await shell.until("aura", "Hello", "Aura")
        await ear.hears_no_more(REPLY_RATE)
        await room.say(voice.say("What is the capital of France?"))
        await shell.until("you", "France")
        await shell.until("aura", "Paris")
        await ear.hears_no_more(REPLY_RATE)
        await room.say(voice.say("Please count to thirty."))
        await shell.until("turn")
        await ear.hears_more()
        assert not [line for line in shell.lines if "interrupted" in line], "it has taken its echo for somebody"
        await asyncio.sleep(1.5)
        await room.say(voice.say("Please stop now."))
        await shell.until("interrupted")
    assert "Paris" in ears.understand(ear.sound)


async def test_who_talks_through_loudspeakers_is_answered_and_the_echo_is_not(
    stack: Stack, voice: PersonVoice, ears: Recogniser, tmp_path: Path
) -> None:
    async with sound_server(tmp_path) as room, talking(stack, room, "--input-device", "mouth") as shell:
        await converse_over_loudspeakers(shell, room, voice, ears)


async def test_who_talks_in_a_room_from_a_shell_is_answered_and_the_echo_is_not(
    stack: Stack, voice: PersonVoice, ears: Recogniser, tmp_path: Path, a_room: Callable[[], str]
) -> None:
    async with sound_server(tmp_path) as room, talking(stack, room, "--connect", a_room()) as shell:
        await converse_over_loudspeakers(shell, room, voice, ears)
    await stack.empty()


async def test_a_recording_is_answered_in_a_room(
    stack: Stack, voice: PersonVoice, ears: Recogniser, tmp_path: Path, a_room: Callable[[], str]
) -> None:
    question = write_wav(tmp_path / "question.wav", voice.say("What is the capital of France?"))
    answer = tmp_path / "answer.wav"
    written_page("The train leaves at nine.").save(tmp_path / "camera.png")
    camera = ("--camera", str(tmp_path / "camera.png"))
    printed = await console(stack, "--connect", a_room(), "--wav", str(question), str(answer), *camera)
    assert "France" in printed and "Paris" in printed
    assert "Paris" in ears.understand(*read_wav(answer))
    assert re.search(r"sees  .*train", printed), "what the camera shows"
    await stack.empty()


async def test_typed_questions_are_answered_in_a_room(stack: Stack, a_room: Callable[[], str]) -> None:
    typed = "What is the capital of France?\nAnd of Italy?\n"
    printed = await console(stack, "--connect", a_room(), "--text", typed=typed)
    assert "Paris" in printed and "Rome" in printed
    await stack.empty()


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
