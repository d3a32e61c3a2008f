"""The embedded pipeline as `aura-pipeline serve` runs it, with a record of its wire and of its engines.

    python -m tests.e2e.observed_pipeline HOST:PORT HOST:RELAY_PORT RECORD

Clients that come through the relay have their events recorded, both ways; the record has a JSON value a line:
`{"at": seconds of the loop's clock, "wire": "client" | "server", "event": {...}}` and
`{"at": ..., "engine": "asr" | "aura" | "tts", "request": id, "prompt": ..., "ahead": it is only read}`.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import aiohttp
from aiohttp import web

from pipeline.cli.main import ServeSettings, serve
from pipeline.deployment.loading import StageDeployment, read_deployment
from pipeline.engines.base import Engine
from pipeline.runtime.engine_registry import Opener
from pipeline.runtime.profiles import PROFILES
from pipeline.types.chunks import AsrInput, ChatPrompt, Clause

HOST = "127.0.0.1"
TOLD = frozenset(("model", "languages", "context_bytes", "voices", "speeds", "voice_languages"))  # to callers


class Record:
    """A file that everything is written to at once."""

    def __init__(self, path: Path) -> None:
        self._file: TextIO = path.open("a", buffering=1)

    def write(self, **what: Any) -> None:
        self._file.write(json.dumps({"at": asyncio.get_running_loop().time(), **what}) + "\n")


@dataclass(frozen=True, slots=True)
class Observed:
    """An engine whose prompts are recorded."""

    name: str
    engine: Engine[Any, Any]
    record: Record

    async def generate(self, request_id: str, prompts: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
        async def seen() -> AsyncIterator[Any]:
            async for prompt in prompts:
                ahead = isinstance(prompt, ChatPrompt) and not prompt.max_tokens
                self.record.write(engine=self.name, request=request_id, prompt=shown(prompt), ahead=ahead)
                yield prompt

        async with aclosing(self.engine.generate(request_id, seen())) as chunks:
            async for chunk in chunks:
                yield chunk

    def __getattr__(self, name: str) -> Any:
        """What an engine tells callers that it has."""
        if name not in TOLD:
            raise AttributeError(name)
        return getattr(self.engine, name)

    async def busy(self) -> int:
        return await self.engine.busy()

    async def aclose(self) -> None:
        await self.engine.aclose()


def shown(prompt: Any) -> Any:
    match prompt:
        case ChatPrompt():
            return [[message.role, message.text] for message in prompt.messages]
        case Clause():
            return prompt.text
        case AsrInput():
            return {"audio_ms": prompt.audio_end_ms, "settles": prompt.settles}
    return repr(prompt)


def observing(name: str, opener: Opener, record: Record) -> Opener:
    async def opened(stage: StageDeployment, models_dir: Path, max_sessions: int) -> Engine[Any, Any]:
        return Observed(name, await opener(stage, models_dir, max_sessions), record)

    return opened


async def relay(pipeline: str, port: int, record: Record) -> web.AppRunner:
    """Listen for clients, and pass on what they and the pipeline say."""

    async def call(request: web.Request) -> web.WebSocketResponse:
        headers = {"Authorization": request.headers.get("Authorization", "")}
        url = f"{pipeline}{request.path_qs}"
        async with aiohttp.ClientSession() as http, http.ws_connect(url, headers=headers, max_msg_size=0) as server:
            client = web.WebSocketResponse(max_msg_size=0)
            await client.prepare(request)
            async with asyncio.TaskGroup() as tasks:
                back = tasks.create_task(pass_on(server, client, "server", record), name="relay:back")
                await pass_on(client, server, "client", record)
                back.cancel()
        return client

    app = web.Application()
    app.router.add_get("/v1/realtime", call)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, HOST, port).start()
    return runner


Socket = web.WebSocketResponse | aiohttp.ClientWebSocketResponse


async def pass_on(source: Socket, sink: Socket, side: str, record: Record) -> None:
    async for message in source:
        if message.type is aiohttp.WSMsgType.TEXT:
            event = json.loads(message.data)
            quiet = {"audio", "delta"} if "audio" in event["type"] else set()
            record.write(wire=side, event={key: value for key, value in event.items() if key not in quiet})
            await sink.send_str(message.data)
    await sink.close(code=source.close_code or 1000)


async def main(port: int, relay_port: int, record: Record, environ: Mapping[str, str]) -> None:
    profile = PROFILES["embedded"]
    names = {spec.model_arch: spec.model_stage for spec in profile.topology.stages}
    engines = {
        arch: replace(kind, open=observing(names[arch], kind.open, record)) for arch, kind in profile.engines.items()
    }
    models = Path(environ["AURA_HOME"]) / "models"
    file = profile.deployment
    deployment = read_deployment(file, profile.topology, profile.engine_keys(models))
    deployment = replace(deployment, max_sessions=2)
    observed = replace(profile, engines=engines)
    runner = await relay(f"http://{HOST}:{port}", relay_port, record)
    try:
        await serve(ServeSettings(observed, file, deployment, models, HOST, port, environ["AURA_PIPELINE_KEY"]))
    finally:
        await runner.cleanup()


if __name__ == "__main__":
    own_port, relay_to, path = sys.argv[1:]
    asyncio.run(main(int(own_port), int(relay_to), Record(Path(path)), os.environ))
