"""A conversation from a shell without a sound card: with WAV files for ears and mouth, or in writing. No room."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import time  # noqa: TID251 - LiveKit stamps its events with the wall clock
from typing import Any, TextIO

import msgspec
from livekit.agents import ConversationItemAddedEvent
from livekit.agents.llm import ChatMessage
from livekit.agents.voice import io
from livekit.agents.voice.transcription import TranscriptSynchronizer

from agent.aio.unwaited_threads import UnwaitedThreads
from agent.call import Call
from agent.console.audio import WavLoudspeaker, WavMicrophone, check_writable, read_wav, write_wav
from agent.console.terminal import Terminal
from agent.livekit.connection import ConnectPipeline
from agent.persona.persona import AURA
from agent.settings.agent import PipelineSettings
from agent.status.attributes import OBSERVATION
from agent.status.call_log import CallLog
from agent.tools.call_tools import Toolkit
from agent.tools.never_mind import calls_off
from agent.turns.endpointing import TURNS, Turns
from pipeline.realtime.client import connect

SETTLED_S = 1.0  # of nothing going on, after an answer
UNANSWERED_S = 6.0  # the same where none came
POLL_S = 0.1
NAMES = {OBSERVATION: "sees"}  # of attributes, in front of their lines; of others, what stands behind "aura."


class ConsoleTranscript:
    """Prints who says what, and when.

    Attributes:
        answers: How many there were.
        state: What the agent does.
        tool_runs: A tool runs.

    Args:
        filmed: There is a camera.
        log: Keeps what is decided.
    """

    def __init__(self, terminal: Terminal | None = None, *, filmed: bool = False, log: CallLog | None = None) -> None:
        self._terminal, self._filmed, self._log = terminal or Terminal(), filmed, log or CallLog()
        self._began = asyncio.get_running_loop().time()
        self.answers, self.state, self.tool_runs = 0, "", False
        self._seen = ""  # what was printed last of what the pipeline sees

    def on_item(self, event: ConversationItemAddedEvent) -> None:
        item = event.item
        if isinstance(item, ChatMessage) and item.role in ("user", "assistant") and item.text_content:
            self.said("you" if item.role == "user" else "aura", item.text_content + (" —" if item.interrupted else ""))

    async def publish(self, attributes: dict[str, str]) -> None:
        self._log.note(attributes)
        self.state = attributes.get("aura.state", self.state)
        if tool := attributes.get("aura.tool"):
            self.tool_runs = msgspec.json.decode(tool)["state"] == "running"
        if self._filmed and attributes.get("aura.sees") == "no":
            self.say("sees", "nothing: this pipeline looks at no pictures")
        seen = attributes.get(OBSERVATION) or self._seen
        attributes = {name: value for name, value in attributes.items() if name != OBSERVATION or seen != self._seen}
        self._seen = seen
        for name, value in attributes.items():
            if line := in_words(name, value):
                self.say(NAMES.get(name) or name.removeprefix("aura."), line)

    def on_trouble(self, text: str) -> None:
        """Does nothing: the trouble is among the attributes, too."""

    def on_frame(self) -> None:
        """Does nothing: that it is shown something is among the attributes."""

    def said(self, who: str, what: str) -> None:
        self.answers += who == "aura"
        self.say(who, what)

    def say(self, who: str, what: str) -> None:
        now = asyncio.get_running_loop().time() - self._began
        self._terminal.line(f"{now:7.2f}  {who:>8}  {what}")


def in_words(name: str, value: str) -> str:
    """What an attribute of the agent says to a person who reads it as a line; empty if nothing."""
    match name:
        case "aura.error" | "aura.observation":
            return value
        case "aura.decision":
            decision = msgspec.json.decode(value)  # of these, `aura.error` and `aura.tool` tell more
            return "" if decision["what"] in ("error", "tool") else f"{decision['what']}: {decision['text']}"
        case "aura.timings":
            timings = msgspec.json.decode(value)
            after = timings["speech_end_to_first_audio_ms"] or timings["create_to_first_audio_ms"]
            return f"first sound after {after} ms"
        case "aura.tool":
            return tool_line(msgspec.json.decode(value))
    return ""


def tool_line(report: Mapping[str, Any]) -> str:
    """How a call of a tool stands, in a line."""
    called = report["name"] if report["arguments"] == "{}" else f"{report['name']} {report['arguments']}"
    if report["state"] == "running":
        return f"calls {called} …"
    return (
        f"{report['name']}: {report['state'].replace('_', ' ')} after {report['ms'] / 1000:.1f} s: {report['result']}"
    )


def console_turns(camera: io.VideoInput | None) -> Turns:
    """How turns are taken here, with a camera or without."""
    return replace(TURNS["console"], camera=camera is not None)


async def check_connection(pipeline: PipelineSettings, connect: ConnectPipeline) -> None:
    """Call the pipeline and hang up, so that it is known before anything is asked whether it answers.

    Raises:
        PipelineError: Nobody answers there, or not to us.
    """
    async with connect(pipeline.url, pipeline.key):
        pass


async def converse_wav(
    pipeline: PipelineSettings,
    question: Path,
    answer: Path,
    *,
    wait_s: float,
    camera: io.VideoInput | None = None,
    connect: ConnectPipeline = connect,
    log: CallLog | None = None,
    toolkit: Toolkit | None = None,
) -> int:
    """Speak a recording to the agent, and record what it says, from the first moment on.

    Returns:
        The exit status: 0 if something was answered within `wait_s` of the recording's end.

    Raises:
        ValueError: The question cannot be read, or the answer cannot be written.
        PipelineError: There is nobody to talk to.
    """
    check_writable(answer)
    microphone = WavMicrophone(read_wav(question))
    await check_connection(pipeline, connect)
    loudspeaker = WavLoudspeaker(time)
    answered = await converse(
        pipeline,
        microphone,
        loudspeaker,
        wait_s=wait_s,
        camera=camera,
        connect=connect,
        log=log,
        toolkit=toolkit,
    )
    write_wav(answer, bytes(loudspeaker.recording))
    if not answered:
        print("nothing was answered", file=sys.stderr)
    return 0 if answered else 1


async def converse(
    pipeline: PipelineSettings,
    microphone: WavMicrophone,
    loudspeaker: WavLoudspeaker,
    *,
    wait_s: float,
    camera: io.VideoInput | None = None,
    connect: ConnectPipeline = connect,
    log: CallLog | None = None,
    toolkit: Toolkit | None = None,
) -> bool:
    """Talk until all has been said and answered; returns whether anything was."""
    transcript = ConsoleTranscript(filmed=camera is not None, log=log)
    call = Call(
        pipeline, replace(AURA, greeting=""), console_turns(camera), transcript, connect=connect, toolkit=toolkit
    )
    call.session.on("conversation_item_added", transcript.on_item)
    synchronizer = TranscriptSynchronizer(next_in_chain_audio=loudspeaker, next_in_chain_text=None)
    call.session.input.audio, call.session.input.video = microphone, camera
    call.session.output.audio = synchronizer.audio_output
    call.session.output.transcription = synchronizer.text_output
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(loudspeaker.play(), name="loudspeaker")
        async with aclosing(synchronizer), aclosing(call):
            await call.start()
            await _until_answered(call, microphone, transcript, wait_s)
        playing.cancel()
    return bool(transcript.answers) or any(loudspeaker.recording)  # of some answers there is only sound


async def converse_text(
    pipeline: PipelineSettings,
    lines: TextIO,
    *,
    wait_s: float,
    camera: io.VideoInput | None = None,
    connect: ConnectPipeline = connect,
    log: CallLog | None = None,
    toolkit: Toolkit | None = None,
) -> int:
    """Answer each of the lines.

    Returns:
        The exit status: 0 if every line was answered. After each `wait_s` without an answer it is said that it is
        still waited for.

    Raises:
        PipelineError: There is nobody to talk to.
    """
    await check_connection(pipeline, connect)
    transcript = ConsoleTranscript(filmed=camera is not None, log=log)
    call = Call(pipeline, AURA, console_turns(camera), transcript, spoken=False, connect=connect, toolkit=toolkit)
    call.session.input.video = camera
    call.session.on("conversation_item_added", transcript.on_item)
    async with aclosing(call):
        await call.start(greet=lines.isatty())
        return await answer_lines(lines, partial(_written, call, transcript, wait_s), transcript)


async def _written(call: Call, transcript: ConsoleTranscript, wait_s: float, line: str) -> bool:
    """Write a line; returns whether it was answered, when nothing more comes of it."""
    before, waited_s = transcript.answers, 0.0
    async with asyncio.TaskGroup() as tasks:
        writing = tasks.create_task(call.write(line), name="console:line")
        while not (await asyncio.wait([writing], timeout=wait_s))[0]:
            waited_s += wait_s
            print(still_waits(waited_s), file=sys.stderr)
    return transcript.answers > before


def still_waits(waited_s: float) -> str:
    """What is said while an answer is on its way for long."""
    return f"no answer for {waited_s:g} s: still waiting (Ctrl-C gives up)"


async def answer_lines(
    lines: TextIO, answer: Callable[[str], Coroutine[Any, Any, bool]], transcript: ConsoleTranscript
) -> int:
    """Have each line answered, one after the other. What somebody types is heard at once, though, and so is, in any
    line, that a tool which runs is called off.

    Returns:
        The exit status: 0 if every line was answered.
    """
    all_answered = True

    async def one(line: str) -> None:
        nonlocal all_answered
        all_answered = await answer(line) and all_answered

    newest: asyncio.Task[None] | None = None
    async with asyncio.TaskGroup() as tasks:
        async for line in typed_lines(lines):
            while newest and not newest.done() and not (lines.isatty() or (transcript.tool_runs and calls_off(line))):
                await asyncio.wait([newest], timeout=POLL_S)
            newest = tasks.create_task(one(line), name="console:answer")
    return 0 if all_answered else 1


async def _until_answered(call: Call, microphone: WavMicrophone, transcript: ConsoleTranscript, wait_s: float) -> None:
    await microphone.over.wait()
    loop = asyncio.get_running_loop()
    ended = quiet_since = loop.time()
    while (now := loop.time()) < ended + wait_s:
        if call.busy:
            quiet_since = now
        if now - quiet_since > (SETTLED_S if transcript.answers else UNANSWERED_S):
            return
        await asyncio.sleep(POLL_S)


async def typed_lines(lines: TextIO) -> AsyncIterator[str]:
    """Yield what is written, without empty lines. Who gives up waits for no line that is not written yet."""
    loop, threads = asyncio.get_running_loop(), UnwaitedThreads()
    while line := await loop.run_in_executor(threads, lines.readline):
        if line.strip():
            yield line.strip()
