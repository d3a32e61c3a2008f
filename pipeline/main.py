"""The console script `aura-pipeline`."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from aiohttp import web

from pipeline.deployment import Deployment, read_deployment
from pipeline.errors import AuraError, ConfigError
from pipeline.orchestrator import running
from pipeline.profiles import PROFILES, Profile
from pipeline.realtime.server import Server
from pipeline.say_command import add_say, run_say

log = logging.getLogger("pipeline")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line and the environment say."""

    profile: Profile
    deployment: Deployment
    models_dir: Path
    host: str
    port: int
    key: str


def main() -> None:
    """Exits with 2 for wrong usage or configuration, with 1 if the pipeline could not run, with 130 after Ctrl-C."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    arguments = _parser().parse_args()
    try:
        if arguments.command == "say":
            return run_say(arguments)
        settings = _settings(arguments, os.environ)
        if arguments.command == "check":
            print(f"{settings.profile.topology.model_type}: fine, {settings.deployment.max_sessions} sessions")
        else:
            asyncio.run(serve(settings))
    except ConfigError as error:
        sys.exit(_said(error, 2))
    except AuraError as error:
        sys.exit(_said(error, 1))
    except KeyboardInterrupt:
        sys.exit(130)


async def serve(settings: Settings) -> None:
    """Run the pipeline until SIGTERM or SIGINT. `/health` answers at once, `/ready` when the engines do."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = Server(settings.profile.topology.model_type, settings.key)
    runner = web.AppRunner(server.app(), access_log=None, shutdown_timeout=2)
    async with AsyncExitStack() as engines, AsyncExitStack() as callers:  # callers leave first
        await runner.setup()
        callers.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, settings.host, settings.port).start()
        profile = settings.profile
        pipeline = running(profile, settings.deployment, settings.models_dir)
        server.pipeline = await engines.enter_async_context(pipeline)
        log.info("ready on http://%s:%d", settings.host, settings.port)
        await stop.wait()


def _settings(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    profile = PROFILES[arguments.profile]
    path = arguments.stage_configs_path or profile.deployment
    deployment = read_deployment(path, profile.topology, profile.engine_keys)
    if arguments.max_sessions:
        deployment = replace(deployment, max_sessions=arguments.max_sessions)
    key = environment.get("AURA_PIPELINE_KEY", "")
    if arguments.command == "serve" and not key:
        raise ConfigError("environment", ["AURA_PIPELINE_KEY is not set: clients must show this key"])
    home = Path(environment.get("AURA_HOME", ".aura"))
    models_dir = arguments.models_dir or home / "models"
    return Settings(profile, deployment, models_dir, getattr(arguments, "host", ""), getattr(arguments, "port", 0), key)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="aura-pipeline", description="The model side of AURA: /v1/realtime.")
    commands = parser.add_subparsers(dest="command", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--profile", choices=sorted(PROFILES), default="embedded", help="which models (embedded)")
    shared.add_argument("--stage-configs-path", type=Path, metavar="FILE", help="stage configuration (the profile's)")
    shared.add_argument("--models-dir", type=Path, metavar="DIR", help="where the models are ($AURA_HOME/models)")
    shared.add_argument("--max-sessions", type=_count, metavar="N", help="most callers at once (the file's)")
    serve = commands.add_parser("serve", parents=[shared], help="serve callers")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8100)
    commands.add_parser("check", parents=[shared], help="check a stage configuration")
    add_say(commands)
    return parser


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1 is needed")
    return number


def _said(error: AuraError, status: int) -> int:
    print(f"aura-pipeline: {error}", file=sys.stderr)
    return status
