"""Cancels answers in every state, and asks the engines themselves until they are idle."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from infra.bench.figures import percentile
from pipeline.realtime.client import Event, Pipeline, connect
from tests.gpu.chain_measures import Bench, Tell
from tests.gpu.sections import Row
from tests.gpu.speech import speech
from tests.served import KEY

CREATED, SOUNDS = "response.created", "response.output_audio.delta"
LONG = "The of you and the of is you. " * 20
PATIENCE_S = 20.0


@dataclass(slots=True)
class Line:
    """A caller's socket, and when which event came, since it was last looked for."""

    pipeline: Pipeline
    came: asyncio.Event = field(default_factory=asyncio.Event)
    at: dict[str, float] = field(default_factory=dict)

    async def listen(self) -> None:
        clock = asyncio.get_running_loop().time
        async for event in self.pipeline:
            self.at[event["type"]] = clock()
            self.came.set()

    async def send(self, kind: str, **fields: Any) -> None:
        event: Event = {"type": kind, **fields}
        await self.pipeline.send(event)

    async def until(self, kind: str) -> float:
        async with asyncio.timeout(PATIENCE_S):
            while kind not in self.at:
                self.came.clear()
                await self.came.wait()
        return self.at[kind]


async def cancelled(bench: Bench, tell: Tell) -> None:
    """While the question is still heard, when an answer begins to sound, and in a long speech."""
    question = b64encode(speech(bench.extent.speech_s)).decode()
    rows: list[Row] = []
    async with _line(bench.url) as line, aiohttp.ClientSession(bench.url) as http:
        for name, state, say in (("heard", CREATED, None), ("sounds", SOUNDS, None), ("long", SOUNDS, LONG)):
            taken: dict[str, list[float]] = {}
            for _ in range(bench.extent.cancels):
                await _idle(http, {})
                line.at.clear()
                if say is None:
                    await line.send("input_audio_buffer.append", audio=question)
                    await line.send("input_audio_buffer.commit")
                await line.send("response.create", response={"metadata": {"say": say}} if say else {})
                await line.until(state)
                await _cancel(line, http, taken)
            halves, most = ({f"{what}_ms_p{at}": percentile(ms, at) for what, ms in taken.items()} for at in (50, 95))
            rows.append({"cancelled": name, "times": bench.extent.cancels, **halves, **most})
            tell("cancel → idle", rows)


async def _cancel(line: Line, http: aiohttp.ClientSession, taken: dict[str, list[float]]) -> None:
    began = asyncio.get_running_loop().time()
    await line.send("response.cancel")
    idle: dict[str, float] = {}
    await _idle(http, idle)
    done = await line.until("response.done")
    for what, at in {"done": done, **idle}.items():
        taken.setdefault(what, []).append(1_000 * (at - began))


async def _idle(http: aiohttp.ClientSession, since: dict[str, float]) -> None:
    """Ask until every engine says that it computes nothing; since when each, and `all`, stands in `since` then."""
    clock = asyncio.get_running_loop().time
    async with asyncio.timeout(PATIENCE_S):
        while "all" not in since:
            async with http.get("/ready") as answer:
                busy: dict[str, int] = (await answer.json())["busy"]
            for stage, requests in busy.items():
                if requests:
                    since.pop(stage, None)
                else:
                    since.setdefault(stage, clock())
            if not any(busy.values()):
                since["all"] = clock()


@asynccontextmanager
async def _line(url: str) -> AsyncGenerator[Line]:
    async with connect(url, KEY) as pipeline, asyncio.TaskGroup() as tasks:
        line = Line(pipeline)
        listening = tasks.create_task(line.listen(), name="cancels:listen")
        session = {"type": "realtime", "audio": {"input": {"turn_detection": None}}}
        await line.send("session.update", session=session)
        yield line
        listening.cancel()
