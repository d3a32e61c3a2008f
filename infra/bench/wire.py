"""Measures the pipeline alone, over its wire: speaks in real time, and takes turns as the agent does."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agent.persona import AURA
from agent.turns import TURNS
from agent.wishes import Wishes
from infra.bench.speaking import speak
from pipeline.realtime.client import Event, Pipeline, connect

ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class First:
    """The first event of its kind in an answer, and when it came."""

    at: float
    event: Event


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that has been answered.

    Attributes:
        since_speech: Seconds from the last word to the first sound of the answer.
        since_create: The same from `response.create`.
        moments: When what happened inside, on the session's clock, as the pipeline tells it.
    """

    since_speech: float
    since_create: float
    moments: Mapping[str, float]

    def between(self, earlier: str, later: str) -> float:
        return self.moments[later] - self.moments[earlier]


@dataclass(slots=True)
class Wire:
    """One session, and the first event of each kind in the running answer."""

    pipeline: Pipeline
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

    async def ask(self, sound: bytes) -> Asked:
        """Say a question, and return when its answer is over.

        Args:
            sound: PCM16, 24 kHz mono, that ends with the last word.
        """
        clock, turns = asyncio.get_running_loop().time, TURNS["browser"]
        self.firsts.clear()
        began_ms, spoken_ms = self.sent_ms, len(sound) // 48
        await self._speak(sound[: int(turns.onset_s * 48_000)])
        await self.send("input_audio_buffer.activity", speaking=True, audio_ms=began_ms)
        await self._speak(sound[int(turns.onset_s * 48_000) :])
        ended = clock()
        await self._speak(bytes(int(turns.silence_s * 48_000)))
        await self.send("input_audio_buffer.activity", speaking=False, audio_ms=began_ms + spoken_ms)
        await self._speak(bytes(int((turns.end_s - turns.silence_s) * 48_000)))
        await self.send("input_audio_buffer.commit")
        await self.send("response.create")
        created = clock()
        sounded = (await self.first("response.output_audio.delta")).at
        done = await self.first("response.done")
        moments = json.loads(done.event["response"]["metadata"]["timings"])
        return Asked(sounded - ended, sounded - created, moments)

    async def write(self, question: str) -> None:
        """Ask in writing; does not wait for the answer."""
        self.firsts.clear()
        content = [{"type": "input_text", "text": question}]
        await self.send("conversation.item.create", item={"type": "message", "role": "user", "content": content})
        await self.send("response.create")

    async def send(self, kind: str, **fields: object) -> None:
        event: Event = {"type": kind, **fields}
        await self.pipeline.send(event)

    async def _speak(self, sound: bytes) -> None:
        await speak(self.pipeline, sound)
        self.sent_ms += len(sound) // 48


@asynccontextmanager
async def wired(url: str, key: str) -> AsyncGenerator[Wire]:
    """A session with the wishes of the agent."""
    async with connect(url, key) as pipeline, asyncio.TaskGroup() as tasks:
        wire = Wire(pipeline)
        listening = tasks.create_task(wire.listen(), name="bench:listen")
        session = Wishes(AURA, spoken=True, camera=False).session(AURA.instructions)
        await pipeline.send({"type": "session.update", "session": session})
        yield wire
        listening.cancel()


async def measure(url: str, key: str, questions: Sequence[bytes]) -> dict[str, list[float]]:
    """Every question once."""
    async with wired(url, key) as wire:
        asked = [await wire.ask(question) for question in questions]
    return {
        "pipeline: last speech → first audio": [each.since_speech for each in asked],
        "pipeline: response.create → first audio": [each.since_create for each in asked],
        "  of it: until the first text": [each.between("created", "first_text") for each in asked],
        "  of it: from text to sound": [each.between("first_text", "first_pcm") for each in asked],
    }
