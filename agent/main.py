"""The console script `aura-agent`: worker, web server, and conversations from a shell.

It exits with 2 for wrong usage or settings, with 1 if what was asked for failed, with 130 after Ctrl-C.
"""

import argparse
import asyncio
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from agent import logs
from agent.console.command import add_console, run_console
from agent.preloading import start_preloading
from agent.settings.agent import web_settings, with_running, worker_settings
from agent.settings.env_file import with_files
from agent.settings.environment import SettingsError
from agent.settings.trunk import dial_settings, trunk_settings

# What says the same as a variable.
OPTIONS = {
    "url": "LIVEKIT_URL",
    "api_key": "LIVEKIT_API_KEY",
    "api_secret": "LIVEKIT_API_SECRET",
    "health_host": "AURA_AGENT_HOST",
    "health_port": "AURA_AGENT_PORT",
}
LOG_FORMAT = "AURA_LOG_FORMAT"
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    form = os.environ.get(LOG_FORMAT, "").strip() or logs.TEXT
    logs.set_up(arguments.log_level, told=arguments.command == "console", form=form)
    try:
        if form not in (logs.TEXT, logs.JSON):
            raise SettingsError([f"{LOG_FORMAT} must be `text` or `json`"])
        match arguments.command:
            case "start":
                return _work(_environ(arguments), devmode=False)
            case "dev":
                return _dev(_environ(arguments), arguments)
            case "web":
                return _web(_environ(arguments), arguments)
            case "certificate":
                return _certificate(arguments)
            case "trunks":
                return _trunks(_environ(arguments))
            case "call":
                return _call(_environ(arguments), arguments.number)
            case _:
                code = run_console(arguments)
                return _leave(code) if argv is None else code
    except SettingsError as error:
        for fault in error.faults:
            print(f"aura-agent: {fault}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return _leave(130) if argv is None and arguments.command == "console" else 130


def _leave(code: int) -> NoReturn:
    """End the process without Python's own end: a thread of LiveKit's that calls into it would abort it, and so would
    one that waits for what is typed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _environ(arguments: argparse.Namespace) -> Mapping[str, str]:
    """What counts of each variable: first what the command line says, then the environment, then a file."""
    said = {name: value for option, name in OPTIONS.items() if (value := getattr(arguments, option, None)) is not None}
    return {**with_files(os.environ, arguments.env_file, Path.cwd()), **said}


def _work(environ: Mapping[str, str], *, devmode: bool) -> int:
    settings = worker_settings(environ)
    livekit = settings.livekit
    # The processes of jobs are forked off with it, and what LiveKit does in them reads it there.
    os.environ |= {
        "LIVEKIT_URL": livekit.url,
        "LIVEKIT_API_KEY": livekit.api_key,
        "LIVEKIT_API_SECRET": livekit.api_secret,
        **{name: value for name, value in environ.items() if name.startswith("OTEL_")},
    }
    start_preloading(livekit.url)
    from agent.worker import work  # the imports of a command are its own: LiveKit's take seconds

    try:
        return _code(asyncio.run(work(settings, devmode=devmode)))
    except OSError as error:
        return _no_port(settings.host, settings.port, error)


def _dev(environ: Mapping[str, str], arguments: argparse.Namespace) -> int:
    if arguments.no_reload:
        return _work(environ, devmode=True)
    worker_settings(environ)  # what is wrong with them is said once
    from agent.reloading import work_reloading

    again = ["dev", "--no-reload", "--log-level", arguments.log_level]
    return _code(asyncio.run(work_reloading(again, environ)))


def _web(environ: Mapping[str, str], arguments: argparse.Namespace) -> int:
    from agent.web.outside.serving import for_this_machine, serving_outside
    from agent.web.server import application, serve

    host, port, static = arguments.host, arguments.port, arguments.static
    settings = web_settings(environ, host, anybody=arguments.anybody)
    app = application(for_this_machine(settings), static)
    try:
        return _code(asyncio.run(serve(app, host, port, serving_outside(settings, static))))
    except OSError as error:
        return _no_port(host, port, error)


def _certificate(arguments: argparse.Namespace) -> int:
    if not arguments.folder and not (arguments.cert and arguments.key):
        raise SettingsError(["certificate: --folder DIR is needed, or --cert FILE and --key FILE"])
    from agent.web.outside.command import certificate

    return certificate(arguments.folder, arguments.host, arguments.cert, arguments.key)


def _no_port(host: str, port: int, error: OSError) -> int:
    print(f"aura-agent: cannot listen on port {port} of {host}: {error.strerror}", file=sys.stderr)
    return 2


def _code(number: signal.Signals | None) -> int:
    return 130 if number == signal.SIGINT else 0


def _trunks(environ: Mapping[str, str]) -> int:
    from agent.phone.trunks import NotMade, make_trunks

    try:
        asyncio.run(make_trunks(trunk_settings(with_running(environ))))
    except NotMade as error:
        print(f"aura-agent: {error}", file=sys.stderr)
        return 1
    return 0


def _call(environ: Mapping[str, str], number: str) -> int:
    from agent.phone.dial import NotAnswered, dial

    try:
        asyncio.run(dial(dial_settings(with_running(environ)), number))
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
    start = commands.add_parser("start", help="take rooms from the LiveKit server")
    dev = commands.add_parser("dev", help="the same, saying more, and anew whenever the code changes")
    dev.add_argument("--no-reload", action="store_true", help="leave the code that runs as it is")
    for worker in (start, dev):
        worker.add_argument("--health-host", metavar="HOST", help="where the health check listens")
        worker.add_argument("--health-port", metavar="PORT", type=lambda text: str(_port(text)), help="and its port")
    web = commands.add_parser("web", help="serve the page and hand out tokens")
    web.add_argument("--host", default="127.0.0.1")
    web.add_argument("--anybody", action="store_true", help="let whoever reaches another --host call, and ask nobody")
    web.add_argument("--port", type=_port, default=8080)
    web.add_argument("--static", type=Path, help="the built page")
    certificate = commands.add_parser("certificate", help="make a certificate for a host, or look at one")
    certificate.add_argument("--host", action="append", required=True, help="a name or address of it; the first counts")
    certificate.add_argument("--folder", type=Path, metavar="DIR", help="where the local authority is kept")
    certificate.add_argument("--cert", type=Path, metavar="FILE", help="look at this one instead")
    certificate.add_argument("--key", type=Path, metavar="FILE", help="and its key")
    trunks = commands.add_parser(
        "trunks", help="let phones in: make the trunks at the LiveKit server, or bring them up to date"
    )
    call = commands.add_parser("call", help="ring somebody up")
    call.add_argument("number", type=_number, metavar="NUMBER")
    for command in (start, dev, web, trunks, call):
        command.add_argument("--url", help="the LiveKit server, instead of LIVEKIT_URL")
        command.add_argument("--api-key", metavar="KEY", help="instead of LIVEKIT_API_KEY")
        command.add_argument("--api-secret", metavar="SECRET", help="instead of LIVEKIT_API_SECRET")
        command.add_argument("--env-file", metavar="FILE", type=Path, help="variables, instead of those in .env")
    add_console(commands)
    levels = {"start": "INFO", "web": "INFO", "dev": "DEBUG"}
    for name, command in commands.choices.items():
        level = levels.get(name, "ERROR")
        command.add_argument("--log-level", type=str.upper, choices=LEVELS, default=level)
    return parser


if __name__ == "__main__":
    sys.exit(main())
