"""One session with a pipeline over its wire: what is sent, and when which kind of event came first."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from infra.bench.base.speaking import speak
from pipeline.realtime.client import Event, RealtimeClient, connect

ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class First:
    """The first event of its kind in an answer, and when it came."""

    at: float
    event: Event


@dataclass(slots=True)
class Wire:
    """One session, and the first event of each kind in the running answer."""

    pipeline: RealtimeClient
    sent_ms: int = 0
    firsts: dict[str, First] = field(default_factory=dict)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        clock = asyncio.get_running_loop().time
        async for event in self.pipeline:
            self.firsts.setdefault(event["type"], First(clock(), event))
            self.came.set()

    async def first(self, kind: str) -> First:
        """The first such event since the last question."""
        async with asyncio.timeout(ANSWER_S):
            while kind not in self.firsts:
                self.came.clear()
                await self.came.wait()
        return self.firsts[kind]

    async def write(self, question: str) -> None:
        """Ask in writing; does not wait for the answer."""
        self.firsts.clear()
        content = [{"type": "input_text", "text": question}]
        await self.send("conversation.item.create", item={"type": "message", "role": "user", "content": content})
        await self.send("response.create")

    async def send(self, kind: str, **fields: object) -> None:
        event: Event = {"type": kind, **fields}
        await self.pipeline.send(event)

    async def speak(self, sound: bytes) -> None:
        """At the speed of sound: PCM16, 24 kHz mono."""
        await speak(self.pipeline, sound)
        self.sent_ms += len(sound) // 48


@asynccontextmanager
async def wired(url: str, key: str, session: Mapping[str, Any]) -> AsyncGenerator[Wire]:
    """Connects to a pipeline and sets its session up; listens to it until the body ends.

    Args:
        session: The `session` of its `session.update`.
    """
    async with connect(url, key) as pipeline, asyncio.TaskGroup() as tasks:
        wire = Wire(pipeline)
        listening = tasks.create_task(wire.listen(), name="bench:listen")
        await wire.send("session.update", session=session)
        yield wire
        listening.cancel()
