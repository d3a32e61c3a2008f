"""A pipeline of scripted engines behind its real HTTP server, on a free loopback port, in real time."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, cast

from aiohttp import web

from pipeline.engines.base import Engine
from pipeline.realtime.server import Server
from pipeline.runtime.orchestrator import Orchestrator
from pipeline.runtime.startup import OpenedEngines
from pipeline.speech.end_of_turn import EndOfTurnModel
from pipeline.speech.vad_frontend import VoiceActivityDetector
from pipeline.types.capabilities import Capabilities, PromptLimits
from tests.scenario import Line, Loudness

KEY = "a-key-for-tests"
ABLE = Capabilities(
    "aura-scripted",
    recogniser="scripted-ears",
    languages=frozenset(("en", "fr")),
    context_bytes=60,
    voices=("tenor", "alto"),
    voice_languages=("en", "fr"),
    speeds=(0.5, 2.0),
    calls_functions=True,
    limits=PromptLimits(len, instructions=1_000, items={"system": 500, "user": 2_000_000, "assistant": 2_000_000}),
)


@dataclass(frozen=True, slots=True)
class Served:
    """Where it listens, the running pipeline, its scripted engines, and what serves them."""

    url: str
    pipeline: Orchestrator
    line: Line
    server: Server

    @property
    def websocket_url(self) -> str:
        return self.url.replace("http://", "ws://") + "/v1/realtime"


LENT: list[str] = []


@contextmanager
def lent(url: str) -> Iterator[None]:
    """Meanwhile `served()` gives a pipeline that runs elsewhere to tests that script nothing."""
    LENT.append(url)
    try:
        yield
    finally:
        LENT.pop()


@asynccontextmanager
async def served(
    line: Line | None = None,
    max_sessions: int = 4,
    detector: Callable[[], VoiceActivityDetector] = Loudness,
    able: Capabilities = ABLE,
    end_model: EndOfTurnModel | None = None,
) -> AsyncGenerator[Served, None]:
    if LENT and line is None and able is ABLE and end_model is None:
        yield Served(LENT[-1], cast(Any, None), Line(), cast(Any, None))
        return
    line = line or Line()
    engines: dict[str, Engine[Any, Any]] = {"asr": line.asr, "aura": line.aura, "tts": line.tts}
    server = Server("aura-scripted", KEY)
    server.pipeline = Orchestrator(OpenedEngines(able, engines), line.stages(), detector, max_sessions, end_model)
    runner = web.AppRunner(server.app(), shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        yield Served(f"http://{host}:{port}", server.pipeline, line, server)
    finally:
        await runner.cleanup()
