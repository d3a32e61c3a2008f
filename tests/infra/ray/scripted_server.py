"""A server of scripted engines with the command line of `aura-pipeline serve`, as far as a replica uses it."""

import argparse
import asyncio

from aiohttp import web

from pipeline.realtime.server import Server
from pipeline.runtime.orchestrator import Orchestrator
from pipeline.runtime.startup import OpenedEngines
from tests.scenario import Line, Loudness
from tests.served import ABLE, KEY


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--max-sessions", type=int, required=True)
    asked = parser.parse_args()
    line, server = Line(), Server("aura-scripted", KEY)
    engines = OpenedEngines(ABLE, {"asr": line.asr, "aura": line.aura, "tts": line.tts})
    server.pipeline = Orchestrator(engines, line.stages(), Loudness, asked.max_sessions)
    runner = web.AppRunner(server.app(), shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, asked.host, asked.port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
