"""The console script `aura-agent`: worker, web server, and conversations from a shell.

It exits with 2 for wrong usage or settings, with 1 if what was asked for failed, with 130 after Ctrl-C.
"""

import argparse
import asyncio
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from agent import logs
from agent.console.command import add_console, run_console
from agent.preloading import start_preloading
from agent.settings.agent import web_settings, with_running, worker_settings
from agent.settings.environment import SettingsError
from agent.settings.trunk import dial_settings, trunk_settings

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    logs.set_up(arguments.log_level, told=arguments.command == "console")
    try:
        match arguments.command:
            case "start":
                return _work(devmode=False)
            case "dev":
                return _dev(arguments)
            case "web":
                return _web(arguments.host, arguments.port, arguments.static)
            case "trunks":
                return _trunks()
            case "call":
                return _call(arguments.number)
            case _:
                return run_console(arguments)
    except SettingsError as error:
        for fault in error.faults:
            print(f"aura-agent: {fault}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _work(*, devmode: bool) -> int:
    settings = worker_settings(os.environ)
    start_preloading(settings.livekit.url)
    from agent.worker import work  # the imports of a command are its own: LiveKit's take seconds

    return _code(asyncio.run(work(settings, devmode=devmode)))


def _dev(arguments: argparse.Namespace) -> int:
    if arguments.no_reload:
        return _work(devmode=True)
    worker_settings(os.environ)  # what is wrong with them is said once
    from agent.reloading import work_reloading

    again = ["dev", "--no-reload", "--log-level", arguments.log_level]
    return _code(asyncio.run(work_reloading(again, os.environ)))


def _web(host: str, port: int, static: Path | None) -> int:
    from agent.web.server import application, serve

    app = application(web_settings(os.environ, host), static)
    try:
        return _code(asyncio.run(serve(app, host, port)))
    except OSError as error:
        print(f"aura-agent: cannot listen on port {port} of {host}: {error.strerror}", file=sys.stderr)
        return 2


def _code(number: signal.Signals | None) -> int:
    return 130 if number == signal.SIGINT else 0


def _trunks() -> int:
    from agent.phone.trunks import NotMade, make_trunks

    try:
        asyncio.run(make_trunks(trunk_settings(with_running(os.environ))))
    except NotMade as error:
        print(f"aura-agent: {error}", file=sys.stderr)
        return 1
    return 0


def _call(number: str) -> int:
    from agent.phone.dial import NotAnswered, dial

    try:
        asyncio.run(dial(dial_settings(with_running(os.environ)), number))
    except NotAnswered as error:
        print(f"aura-agent: {error}", file=sys.stderr)
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number (0 to 65535)")
    return int(text)


def _number(text: str) -> str:
    number = re.sub(r"[\s().-]", "", text)
    if not re.fullmatch(r"\+?[0-9*#]+", number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a telephone number (digits, `*`, `#`, a `+` in front)")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="aura-agent", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("start", help="take rooms from the LiveKit server")
    dev = commands.add_parser("dev", help="the same, saying more, and anew whenever the code changes")
    dev.add_argument("--no-reload", action="store_true", help="leave the code that runs as it is")
    web = commands.add_parser("web", help="serve the page and hand out tokens")
    web.add_argument("--host", default="127.0.0.1")
    web.add_argument("--port", type=_port, default=8080)
    web.add_argument("--static", type=Path, help="the built page")
    commands.add_parser("trunks", help="let phones in: make the trunks at the LiveKit server, or bring them up to date")
    call = commands.add_parser("call", help="ring somebody up")
    call.add_argument("number", type=_number, metavar="NUMBER")
    add_console(commands)
    levels = {"start": "INFO", "web": "INFO", "dev": "DEBUG"}
    for name, command in commands.choices.items():
        level = levels.get(name, "ERROR")
        command.add_argument("--log-level", type=str.upper, choices=LEVELS, default=level)
    return parser


if __name__ == "__main__":
    sys.exit(main())
