"""Measures the pipeline alone, over its wire: speaks in real time, and takes turns as the agent does."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

from agent.persona import AURA
from agent.turns import TURNS
from agent.wishes import Wishes
from pipeline.realtime.client import Event, Pipeline, connect

STEP_S = 0.05
STEP_BYTES = int(24_000 * STEP_S) * 2
ANSWER_S = 60.0


@dataclass(slots=True)
class Wire:
    """One session, and when each kind of event of the running answer came first."""

    pipeline: Pipeline
    firsts: dict[str, float] = field(default_factory=dict)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        clock = asyncio.get_running_loop().time
        async for event in self.pipeline:
            self.firsts.setdefault(event["type"], clock())
            self.came.set()

    async def first(self, kind: str) -> float:
        """When such an event first came since the last question."""
        async with asyncio.timeout(ANSWER_S):
            while kind not in self.firsts:
                self.came.clear()
                await self.came.wait()
        return self.firsts[kind]

    async def ask(self, sound: bytes) -> tuple[float, float]:
        """Say a question, and return when its answer is over.

        Args:
            sound: PCM16, 24 kHz mono, that ends with the last word.

        Returns:
            Seconds from the last word, and from `response.create`, to the first sound of the answer.
        """
        clock, turns = asyncio.get_running_loop().time, TURNS["browser"]
        self.firsts.clear()
        spoken_ms = len(sound) // 48
        await self._speak(sound[: int(turns.onset_s * 48_000)])
        await self._send("input_audio_buffer.activity", speaking=True, audio_ms=0)
        await self._speak(sound[int(turns.onset_s * 48_000) :])
        ended = clock()
        await self._speak(bytes(int(turns.silence_s * 48_000)))
        await self._send("input_audio_buffer.activity", speaking=False, audio_ms=spoken_ms)
        await self._speak(bytes(int((turns.end_s - turns.silence_s) * 48_000)))
        await self._send("input_audio_buffer.commit")
        await self._send("response.create")
        created = clock()
        sounded = await self.first("response.output_audio.delta")
        await self.first("response.done")
        return sounded - ended, sounded - created

    async def cancel(self, question: str, url: str) -> tuple[float, float]:
        """Ask for something long in writing, and cancel it when it begins to sound.

        Returns:
            Seconds from the cancel to `response.done`, and until language model and voice say that they are idle.
        """
        clock = asyncio.get_running_loop().time
        self.firsts.clear()
        content = [{"type": "input_text", "text": question}]
        await self._send("conversation.item.create", item={"type": "message", "role": "user", "content": content})
        await self._send("response.create")
        await self.first("response.output_audio.delta")
        await self._send("response.cancel")
        cancelled = clock()
        async with aiohttp.ClientSession() as http, asyncio.timeout(ANSWER_S):
            busy = {"aura": 1, "tts": 1}
            while busy["aura"] or busy["tts"]:
                async with http.get(f"{url}/ready") as answer:
                    busy = (await answer.json())["busy"]
            idle = clock()
        return await self.first("response.done") - cancelled, idle - cancelled

    async def _speak(self, sound: bytes) -> None:
        """At the speed of sound: each piece leaves when it has been spoken."""
        clock = asyncio.get_running_loop().time
        due = clock()
        for start in range(0, len(sound), STEP_BYTES):
            piece = sound[start : start + STEP_BYTES]
            due += len(piece) / 48_000
            await asyncio.sleep(due - clock())
            await self._send("input_audio_buffer.append", audio=b64encode(piece).decode())

    async def _send(self, kind: str, **fields: object) -> None:
        event: Event = {"type": kind, **fields}
        await self.pipeline.send(event)


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


async def measure(url: str, key: str, questions: Sequence[bytes], long: str, cancels: int) -> dict[str, list[float]]:
    """Every question once, then several cancels."""
    async with wired(url, key) as wire:
        asked = [await wire.ask(question) for question in questions]
        cancelled = [await wire.cancel(long, url) for _ in range(cancels)]
    return {
        "pipeline: last speech → first audio": [since_speech for since_speech, _ in asked],
        "pipeline: response.create → first audio": [since_create for _, since_create in asked],
        "pipeline: cancel → caller released": [done for done, _ in cancelled],
        "pipeline: cancel → engines idle": [idle for _, idle in cancelled],
    }
