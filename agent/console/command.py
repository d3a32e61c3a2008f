"""The command `aura-agent console`: its options, and which conversation they ask for."""

import argparse
import asyncio
import os
import sys
from collections.abc import Coroutine
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from agent.console.errors import ConsoleError
from agent.settings.agent import console_settings, console_tools, room_settings
from agent.status.call_log import CallLog, saved_log

if TYPE_CHECKING:
    from agent.console.camera import FileCamera
    from agent.console.sound_card import MiniaudioCard


def add_console(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command to those of `aura-agent`."""
    console = commands.add_parser("console", help="talk from a shell: through microphone and loudspeakers, or without")
    how = console.add_mutually_exclusive_group()
    how.add_argument("--wav", nargs=2, type=Path, metavar=("QUESTION", "ANSWER"), help="speak one file, record another")
    how.add_argument("--text", action="store_true", help="answer each line of standard input")
    how.add_argument("--list-devices", action="store_true", help="say which microphones and loudspeakers there are")
    console.add_argument("--input-device", metavar="NAME", help="the microphone: a part of its name, or its number")
    console.add_argument("--output-device", metavar="NAME", help="the loudspeaker, likewise")
    console.add_argument("--camera", type=Path, metavar="FILE", help="show it a picture, or a film again and again")
    console.add_argument("--connect", metavar="ROOM", help="join a room of the running installation as a person")
    console.add_argument("--decisions", type=Path, metavar="FILE", help="save the call's decisions and timings as JSON")
    console.add_argument(
        "--wait",
        type=_seconds,
        default=30.0,
        help="seconds that an answer may take; of what is typed: after which it is said that it takes longer",
    )


def run_console(arguments: argparse.Namespace) -> int:
    """Do what was asked for; returns the exit status."""
    from agent.console.sound_card import sound_devices  # the imports of a conversation are its own
    from pipeline.realtime.client import PipelineError

    try:
        if arguments.list_devices:
            print(sound_devices())
            return 0
        with saved_log(arguments.decisions) as log:
            return asyncio.run(_conversation(arguments, log))
    except (PipelineError, ConsoleError) as error:
        return _failed(error, 1)
    except ValueError as error:
        return _failed(error, 2)


def _conversation(arguments: argparse.Namespace, log: CallLog) -> Coroutine[Any, Any, int]:
    """Return the conversation, not begun.

    Raises:
        SettingsError, ValueError: It cannot begin.
    """
    if arguments.wav and arguments.wav[0].resolve() == arguments.wav[1].resolve():
        raise ValueError(f"{arguments.wav[0]} cannot be the question and the answer")
    if arguments.connect == "":
        raise ValueError("--connect: the room has no name")
    card = None if arguments.wav or arguments.text else _sound_card(arguments)
    camera = _camera(arguments.camera) if arguments.camera else None
    if arguments.connect:
        return _room_conversation(arguments, card, camera, log)
    pipeline, tools = console_settings(os.environ), console_tools(os.environ)
    from agent.tools.call_tools import Toolkit
    from agent.tools.catalogue import load_tools

    toolkit = Toolkit(tools, load_tools(tools))
    if card:
        from agent.console import aloud
        from agent.console.echo import EchoCanceller
        from agent.console.terminal import Terminal

        return aloud.converse_aloud(
            pipeline, card, EchoCanceller(), Terminal(), camera=camera, log=log, toolkit=toolkit
        )
    from agent.console import console

    if arguments.text:
        return console.converse_text(pipeline, _typed(), wait_s=arguments.wait, camera=camera, log=log, toolkit=toolkit)
    question, answer = arguments.wav
    return console.converse_wav(
        pipeline, question, answer, wait_s=arguments.wait, camera=camera, log=log, toolkit=toolkit
    )


def _room_conversation(
    arguments: argparse.Namespace, card: "MiniaudioCard | None", camera: "FileCamera | None", log: CallLog
) -> Coroutine[Any, Any, int]:
    from agent.console import room
    from agent.console.echo import EchoCanceller
    from agent.console.terminal import Terminal

    livekit, name, wait_s = room_settings(os.environ), arguments.connect, arguments.wait
    if card:
        return room.talk_in_room(
            livekit, name, card, EchoCanceller(), Terminal(), wait_s=wait_s, camera=camera, log=log
        )
    if arguments.text:
        return room.write_in_room(livekit, name, _typed(), wait_s=wait_s, camera=camera, log=log)
    question, answer = arguments.wav
    return room.speak_in_room(livekit, name, question, answer, wait_s=wait_s, camera=camera, log=log)


def _typed() -> TextIO:
    """Return standard input; what is no text in it is replaced."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _camera(path: Path) -> "FileCamera":
    from agent.console.camera import file_camera

    return file_camera(path)


def _sound_card(arguments: argparse.Namespace) -> "MiniaudioCard":
    from agent.console.sound_card import MiniaudioCard, choose_device, sound_devices

    devices = sound_devices()
    return MiniaudioCard(
        devices,
        choose_device(devices.inputs, arguments.input_device, "input"),
        choose_device(devices.outputs, arguments.output_device, "output"),
    )


def _failed(error: Exception, status: int) -> int:
    print(f"aura-agent: {error}", file=sys.stderr)
    return status
