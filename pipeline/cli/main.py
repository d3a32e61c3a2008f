"""The console script `aura-pipeline`."""

import argparse
import asyncio
import errno
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from aiohttp import web

from pipeline.aio import startup_objects as heap
from pipeline.cli.ask import add_ask, run_ask
from pipeline.cli.blas_threads import limit_blas_threads
from pipeline.cli.logs import set_up_logging
from pipeline.cli.offline import keep_stdout_for_results
from pipeline.cli.options import add_model_dir
from pipeline.cli.port_holder import holder_of
from pipeline.cli.say import add_say, run_say
from pipeline.cli.shutdown import Shutdown
from pipeline.cli.time_zone import set_time_zone
from pipeline.cli.transcribe import add_transcribe, run_transcribe
from pipeline.deployment.loading import Deployment, read_deployment
from pipeline.deployment.validation import session_faults
from pipeline.engines.chat_completions.endpoint import ChatEndpoint
from pipeline.errors import AuraError, ConfigError, quoted
from pipeline.realtime.server import Server
from pipeline.runtime.checks.gpus import VISIBLE, gpu_bytes
from pipeline.runtime.checks.preflight import preflight
from pipeline.runtime.engine_registry import ENGINES
from pipeline.runtime.orchestrator import running
from pipeline.runtime.profiles import EMBEDDED, EMBEDDED_CHAT, PROFILES, Profile, profile_of
from pipeline.shipped.embedded import chat_profile
from pipeline.telemetry.span_export import exports_spans, span_export
from pipeline.telemetry.turn_traces import TurnTraces

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = logging.getLogger("pipeline")

DIGITS = 18  # most of a number
SERVICE = "aura-pipeline"
DRAIN_S = 8.0  # for answers that are being heard when it is to end

OFFLINE = ("say", "ask", "transcribe")  # they need no profile


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Holds what the command line and the environment say."""

    profile: Profile
    file: Path
    deployment: Deployment
    models_dir: Path
    host: str
    port: int
    key: str
    spans: "TracerProvider | None" = None  # whose spans leave the process; None: nobody wants them
    visible_gpus: str | None = None  # `CUDA_VISIBLE_DEVICES`


def main(argv: Sequence[str] | None = None) -> None:
    """Exits with 2 for wrong usage or configuration, with 1 if the pipeline could not run, with 130 after Ctrl-C."""
    arguments = _parser().parse_args(argv)
    level = logging.WARNING if arguments.command in OFFLINE else logging.INFO  # they tell how far they are
    try:
        set_up_logging(level, os.environ.get("AURA_LOG_FORMAT", "").strip())
        set_time_zone(os.environ)
        if arguments.command in OFFLINE:
            keep_stdout_for_results(os.environ)
            return _offline(arguments, os.environ)
        for clash in (*PROFILES.clashes(), *ENGINES.clashes()):
            log.warning("%s", clash)
        settings = _settings(arguments, os.environ)
        if arguments.command == "check":
            print(*_check(settings, arguments.model_dir), sep="\n")
        elif asyncio.run(serve(settings)) == signal.SIGINT:
            raise KeyboardInterrupt
    except ConfigError as error:
        sys.exit(_said(error, 2))
    except AuraError as error:
        sys.exit(_said(error, 1))
    except KeyboardInterrupt:
        sys.exit(130)


def _offline(arguments: argparse.Namespace, environment: Mapping[str, str]) -> None:
    commands: dict[str, Callable[[argparse.Namespace, Path], None]] = {
        "say": run_say,
        "ask": partial(run_ask, visible_gpus=environment.get(VISIBLE)),
        "transcribe": run_transcribe,
    }
    commands[arguments.command](arguments, _home(environment))


async def serve(settings: ServeSettings) -> signal.Signals | None:
    """Run the pipeline until SIGTERM or SIGINT: returns it. `/health` answers at once, `/ready` when the engines do."""
    limit_blas_threads()
    work = asyncio.current_task()
    assert work
    stopping = Shutdown(work)
    stopping.listen()
    with suppress(asyncio.CancelledError):
        await _serve(settings, stopping)
    return stopping.request


async def _serve(settings: ServeSettings, stopping: Shutdown) -> None:
    """Serves; engines that are still being started are given up when it is cancelled."""
    model, provider = settings.profile.topology.model_type, settings.spans
    traces = TurnTraces(provider, model) if provider else None
    server = Server(model, settings.key, settings.profile.answers_from, traces)
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=2)
    async with AsyncExitStack() as engines, AsyncExitStack() as callers:  # callers leave first
        if provider:
            engines.push_async_callback(asyncio.to_thread, provider.shutdown)
        await runner.setup()
        callers.push_async_callback(runner.cleanup)
        await _listen(runner, settings)
        await asyncio.to_thread(_check, settings, settings.models_dir)
        opening = running(settings.profile, settings.deployment, settings.models_dir)
        pipeline = await engines.enter_async_context(opening)
        heap.freeze_startup_objects()
        server.pipeline = pipeline
        log.info("ready on http://%s:%d", settings.host, settings.port)
        await stopping.gently()
        log.info("ending: answers are given %.0f s to be heard to their ends", DRAIN_S)
        await server.drain(DRAIN_S)


def _check(settings: ServeSettings, models_dir: Path | None) -> list[str]:
    return preflight(
        str(settings.file), settings.profile, settings.deployment, models_dir, gpu_bytes(settings.visible_gpus)
    )


async def _listen(runner: web.AppRunner, settings: ServeSettings) -> None:
    try:
        await web.TCPSite(runner, settings.host, settings.port).start()
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE and holder_of(settings.port, "tcp")
        known = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        why = f"it is held by {taken}" if taken else known
        fault = f"cannot listen on port {settings.port} of {settings.host}: {why}; choose another with --port"
        raise ConfigError("serve", [fault]) from error


def _settings(arguments: argparse.Namespace, environment: Mapping[str, str]) -> ServeSettings:
    named, told = getattr(arguments, "file", None), arguments.stage_configs_path
    if named and told:
        raise ConfigError("command line", [f"{named} and --stage-configs-path {told}: one file is checked"])
    file = named or told
    name = arguments.profile or (profile_of(file) if file else EMBEDDED)
    profile = _profile(name, ChatEndpoint.of(environment), file)
    path = file or profile.deployment
    models_dir = arguments.model_dir or _home(environment) / "models"
    keys = profile.engine_keys(models_dir)
    deployment = read_deployment(path, profile.topology, keys)
    if arguments.max_sessions:
        if faults := list(session_faults(arguments.max_sessions, profile.topology, keys)):
            raise ConfigError("command line", faults)
        deployment = replace(deployment, max_sessions=arguments.max_sessions)
    key = environment.get("AURA_PIPELINE_KEY", "")
    if arguments.command == "serve" and not key:
        raise ConfigError("environment", ["AURA_PIPELINE_KEY is not set: clients must show this key"])
    host, port = getattr(arguments, "host", ""), getattr(arguments, "port", 0)
    spans = span_export(environment, SERVICE) if arguments.command == "serve" and exports_spans(environment) else None
    return ServeSettings(profile, path, deployment, models_dir, host, port, key, spans, environment.get(VISIBLE))


def _profile(name: str, endpoint: ChatEndpoint, file: Path | None) -> Profile:
    """Returns the profile of that name; in the embedded one a server that is named answers in the model's place.

    Raises:
        ConfigError: A server is named, and nothing would ask it.
    """
    if endpoint.url and name == EMBEDDED and file is None:
        name = EMBEDDED_CHAT
    if endpoint.url and name != EMBEDDED_CHAT:
        fault = f"AURA_LLM_URL is set, and no server is asked in the profile {name}: {EMBEDDED_CHAT} asks it"
        raise ConfigError("environment", [fault])
    return chat_profile(endpoint) if name == EMBEDDED_CHAT else PROFILES[name]


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("AURA_HOME", ".aura"))


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = _Parser(prog="aura-pipeline", description="The model side of AURA: /v1/realtime.")
    commands = parser.add_subparsers(dest="command", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--profile", choices=sorted(PROFILES), help="which models (the file's, or embedded)")
    shared.add_argument("--stage-configs-path", type=Path, metavar="FILE", help="stage configuration (the profile's)")
    add_model_dir(shared)
    shared.add_argument("--max-sessions", type=_count, metavar="N", help="most callers at once (the file's)")
    serve = commands.add_parser("serve", parents=[shared], help="serve callers")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=_port, default=8100)
    check = commands.add_parser("check", parents=[shared], help="check a stage configuration")
    check.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the same as --stage-configs-path")
    add_say(commands)
    add_ask(commands)
    add_transcribe(commands)
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > DIGITS or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a whole number of at least 1 and at most {DIGITS} digits"
        )
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or len(text) > DIGITS or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a port number (0 to 65535)")
    return int(text)


def _said(error: AuraError, status: int) -> int:
    print(f"aura-pipeline: {error}", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
