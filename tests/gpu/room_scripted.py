"""A pipeline of scripted engines, which take as long as those of one GPU do: what is left of a wait is the agent's.

`python -m tests.gpu.room_scripted --port PORT` serves it, in a process of its own.
"""

import argparse
import asyncio
from typing import Any

from aiohttp import web

from pipeline.engines.base import Engine
from pipeline.engines.fake import hears, speaks, writes
from pipeline.realtime.server import Server
from pipeline.runtime.orchestrator import Orchestrator
from pipeline.runtime.startup import OpenedEngines
from tests.scenario import Line, Loudness
from tests.served import ABLE, KEY

HOST = "127.0.0.1"
SESSIONS = 16
ASR_S, AURA_S, WORD_S, VOICE_S = 0.016, 0.019, 0.002, 0.021  # as measured with one caller: docs/deployment.md
WORD_MS = 400
ANSWER = "It is a large town by a river, and people like to go there in spring. Shall I tell you more?"


async def serve(port: int) -> None:
    """Until it is ended."""
    heard = hears("What is the capital of France?", pass_s=ASR_S)
    line = Line(heard, writes(ANSWER, AURA_S, WORD_S), speaks(WORD_MS, VOICE_S))
    engines: dict[str, Engine[Any, Any]] = {"asr": line.asr, "aura": line.aura, "tts": line.tts}
    server = Server("aura-scripted", KEY)
    server.pipeline = Orchestrator(OpenedEngines(ABLE, engines), line.stages(), Loudness, SESSIONS)
    runner = web.AppRunner(server.app(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, HOST, port).start()
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    asyncio.run(serve(parser.parse_args().port))


if __name__ == "__main__":
    main()
