"""A second agent on a pipeline of its own, whose wire and prompts can be read."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from infra.bench.person.grant import Grant
from infra.free_ports import LOOPBACK
from infra.launcher.base.errors import tail
from infra.launcher.base.processes import child
from infra.launcher.supervise.health import until_healthy
from infra.launcher.supervise.ports import choose_ports
from tests.e2e.agents import WORK, NamedAgent
from tests.e2e.stack import POLL_S, ROOT, START_S, Stack, get

T = TypeVar("T")

NAME = "aura-observed"
STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing on the wire or at an engine, at a moment of the loop's clock."""

    at: float
    what: dict[str, Any]


@dataclass(slots=True)
class Observed:
    """Where the second agent is, and what its pipeline has recorded."""

    agent: NamedAgent
    pipeline_url: str
    path: Path
    _seen: list[Seen] = field(default_factory=list)
    _read: int = 0

    def grant(self, room: str, identity: str) -> Grant:
        """A token that calls the second agent into the room."""
        return self.agent.grant(room, identity)

    async def idle(self, within_s: float) -> None:
        """Return when the language model and the voice say that they compute nothing. (A Whisper pass may go on.)

        Raises:
            AssertionError: Says what they compute.
        """
        busy: dict[str, int] = {}
        try:
            async with asyncio.timeout(within_s):
                while not busy or busy["aura"] or busy["tts"]:
                    busy = (await get(f"{self.pipeline_url}/ready"))["busy"]
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise AssertionError(f"after {within_s:g} s the engines compute {busy}") from None

    def wire(self, side: str, *kinds: str, since: float = 0.0) -> list[Seen]:
        """Events that one side has sent."""
        return [
            Seen(seen.at, seen.what["event"])
            for seen in self._all(since)
            if seen.what.get("wire") == side and seen.what["event"]["type"] in kinds
        ]

    def prompts(self, engine: str, since: float = 0.0) -> list[Seen]:
        """What the engine was asked to answer; what it only read ahead is left out."""
        asked = (seen for seen in self._all(since) if seen.what.get("engine") == engine and "prompt" in seen.what)
        return [seen for seen in asked if not seen.what["ahead"]]

    async def until(self, found: Callable[[], T], within_s: float, wanted: str) -> T:
        """Return what `found()` gives as soon as that is true."""
        try:
            async with asyncio.timeout(within_s):
                while not (result := found()):
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise AssertionError(f"{wanted}: not within {within_s:g} s; the newest:\n{self}") from None
        return result

    def __str__(self) -> str:
        quiet = ("input_audio_buffer.append", "input_video_buffer.append", "response.output_audio.delta")
        loud = [seen for seen in self._all(0.0) if seen.what.get("event", {}).get("type") not in quiet]
        return "\n".join(f"{seen.at:10.2f} {str(seen.what)[:300]}" for seen in loud[-60:])

    def _all(self, since: float) -> list[Seen]:
        """The record so far. A line that is being written is read the next time."""
        with self.path.open() as file:
            file.seek(self._read)
            while (line := file.readline()).endswith("\n"):
                what = json.loads(line)
                self._seen.append(Seen(what["at"], what))
                self._read = file.tell()
        return [seen for seen in self._seen if seen.at >= since]


@asynccontextmanager
async def observed_agent(stack: Stack, folder: Path) -> AsyncGenerator[Observed]:
    """Runs both processes for as long as the context lasts."""
    ports = choose_ports({})
    record = folder / "record.jsonl"
    record.touch()
    pipeline_url, relay_url = (f"http://{LOOPBACK}:{port}" for port in (ports.pipeline, ports.web))
    agent = NamedAgent(stack, NAME)
    environ = agent.environ(ports, relay_url)
    serve = [sys.executable, "-m", "tests.e2e.observed_pipeline", str(ports.pipeline), str(ports.web), str(record)]
    logs = folder / "pipeline.log", folder / "agent.log"
    async with (
        child(serve, cwd=ROOT, env=environ, log=logs[0], stop_s=STOP_S),
        child(WORK, cwd=ROOT, env=environ, log=logs[1], stop_s=STOP_S),
    ):
        await healthy(f"{pipeline_url}/ready", logs[0])
        await healthy(f"http://{LOOPBACK}:{ports.agent}/", logs[1])
        yield Observed(agent, pipeline_url, record)


async def healthy(url: str, log: Path) -> None:
    try:
        async with asyncio.timeout(START_S):
            await until_healthy(url)
    except TimeoutError:
        raise AssertionError(f"{url} is not healthy; the end of {log}:\n{tail(log.read_text())}") from None
