"""Conversations in a room, from a shell: aloud, with WAV files for ears and mouth, or in writing."""

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import TextIO

from agent.console.aloud import show_level
from agent.console.audio import WavMicrophone, check_writable, read_wav, write_wav
from agent.console.camera import FileCamera
from agent.console.console import (
    POLL_S,
    SETTLED_S,
    UNANSWERED_S,
    ConsoleTranscript,
    answer_lines,
    still_waits,
)
from agent.console.echo import EchoCancellation, EchoFreeSound
from agent.console.microphone import CardMicrophone
from agent.console.sound_card import SoundCard
from agent.console.terminal import Terminal
from agent.console.visitor import RoomVisitor, visiting
from agent.settings.agent import LiveKitSettings
from agent.status.call_log import CallLog

CLOSED = ("ROOM_DELETED", "ROOM_CLOSED", "CLIENT_INITIATED")  # ends of a visit in which nothing failed


async def talk_in_room(
    livekit: LiveKitSettings,
    room: str,
    card: SoundCard,
    canceller: EchoCancellation | None,
    terminal: Terminal,
    *,
    wait_s: float,
    camera: FileCamera | None = None,
    log: CallLog | None = None,
) -> int:
    """Talk until the room is closed, or cancelled.

    Returns:
        The exit status: 0 if the room was closed, 1 if the connection was lost.

    Raises:
        RoomError: There is no talking there.
        SoundCardError: There is nothing to talk through, or it is gone.
    """
    transcript = ConsoleTranscript(terminal, filmed=camera is not None, log=log)
    microphone = CardMicrophone()
    async with (
        visiting(livekit, room, transcript, wait_s=wait_s, camera=camera) as visitor,
        card.open(EchoFreeSound(visitor.speakers, microphone, canceller)),
    ):
        visitor.speak(microphone)
        await show_level(microphone, transcript, terminal, visitor.left)
    reason = visitor.left.result()
    terminal.line(f"the room was left: {reason}")
    return 0 if reason in CLOSED else 1


async def speak_in_room(
    livekit: LiveKitSettings,
    room: str,
    question: Path,
    answer: Path,
    *,
    wait_s: float,
    camera: FileCamera | None = None,
    log: CallLog | None = None,
) -> int:
    """Speak a recording once the agent has greeted, and record all that is heard in the room from then on.

    Returns:
        The exit status: 0 if something was answered within `wait_s` of the recording's end.

    Raises:
        ValueError: The question cannot be read, or the answer cannot be written.
        RoomError: There is no talking there.
    """
    check_writable(answer)
    microphone = WavMicrophone(read_wav(question))
    transcript = ConsoleTranscript(filmed=camera is not None, log=log)
    recording = bytearray()
    async with visiting(livekit, room, transcript, wait_s=wait_s, camera=camera) as visitor:
        await _quiet(visitor, wait_s)
        visitor.record(recording)
        before = transcript.answers
        visitor.speak(microphone)
        await microphone.over.wait()
        answered = await _answered(visitor, transcript, before, wait_s)
    write_wav(answer, bytes(recording))
    if not answered:
        print("nothing was answered", file=sys.stderr)
    return 0 if answered else 1


async def write_in_room(
    livekit: LiveKitSettings,
    room: str,
    lines: TextIO,
    *,
    wait_s: float,
    camera: FileCamera | None = None,
    log: CallLog | None = None,
) -> int:
    """Have each of the lines answered.

    Returns:
        The exit status: 0 if every line was answered. After each `wait_s` without an answer it is said that it is
        still waited for.

    Raises:
        RoomError: There is no talking there.
    """
    transcript = ConsoleTranscript(filmed=camera is not None, log=log)
    async with visiting(livekit, room, transcript, wait_s=wait_s, camera=camera) as visitor:
        await _quiet(visitor, wait_s)
        return await answer_lines(lines, partial(_written, visitor, transcript, wait_s), transcript)


async def _written(visitor: RoomVisitor, transcript: ConsoleTranscript, wait_s: float, line: str) -> bool:
    """Write a line; returns whether it was answered, when nothing more comes of it."""
    before, waited_s = transcript.answers, 0.0
    transcript.say("you", line)
    await visitor.write(line)
    while not await _answered(visitor, transcript, before, wait_s) and visitor.busy:
        waited_s += wait_s
        print(still_waits(waited_s), file=sys.stderr)
    return transcript.answers > before


async def _quiet(visitor: RoomVisitor, within_s: float) -> None:
    """Return when the agent has greeted and nothing goes on any more, or when the time is over."""
    loop = asyncio.get_running_loop()
    until = loop.time() + within_s
    while visitor.quiet_s < SETTLED_S and not visitor.left.done():
        if loop.time() > until:
            return
        await asyncio.sleep(POLL_S)


async def _answered(visitor: RoomVisitor, transcript: ConsoleTranscript, before: int, wait_s: float) -> bool:
    """Return, when all is quiet or the time is over, whether anything was answered."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while (now := loop.time()) < began + wait_s and not visitor.left.done():
        quiet_s = min(visitor.quiet_s, now - began)
        if quiet_s > (SETTLED_S if transcript.answers > before else UNANSWERED_S):
            break
        await asyncio.sleep(POLL_S)
    return transcript.answers > before
