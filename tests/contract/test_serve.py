"""`aura-pipeline serve` as a process: what it does before its first caller, and when it is told to end."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.cli.main import DRAIN_S
from pipeline.realtime.client import Unreachable, connect, readiness
from tests.contract.wire_wait import PATIENCE_S
from tests.served import KEY

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Process:
    url: str
    running: asyncio.subprocess.Process


@asynccontextmanager
async def serving(told: Mapping[str, str] | None = None) -> AsyncGenerator[Process, None]:
    with socket.create_server(("127.0.0.1", 0)) as output:
        port = output.getsockname()[1]
    command = (sys.executable, "-m", "tests.contract.scripted_pipeline", str(port))
    environ = {**os.environ, "AURA_PIPELINE_KEY": KEY, **(told or {})}
    running = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environ, stdout=asyncio.subprocess.PIPE)
    process = Process(f"http://127.0.0.1:{port}", running)
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await ready(process.url):  # noqa: ASYNC110 - only by asking
                await asyncio.sleep(0.1)
        yield process
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()


async def ready(url: str) -> bool:
    try:
        return (await readiness(url)).ready
    except Unreachable:
        return False


@pytest.mark.parametrize(
    ("most", "signals", "status"),
    [
        (6, [signal.SIGTERM], "completed"),
        (99, [signal.SIGINT], "cancelled"),
        (99, [signal.SIGTERM] * 2, "cancelled"),
        (99, [signal.SIGTERM], "cancelled"),
    ],
)
async def test_an_answer_is_heard_to_its_end_unless_it_is_long_or_somebody_insists(
    most: int, signals: list[signal.Signals], status: str
) -> None:
    text = [{"type": "input_text", "text": f"Count to {most}"}]
    question = {"type": "message", "role": "user", "content": text}
    ends, left = list[str](), [*signals]
    async with serving() as process, asyncio.timeout(PATIENCE_S + DRAIN_S):
        async with connect(process.url, KEY) as pipeline:
            await pipeline.send({"type": "conversation.item.create", "item": question})
            await pipeline.send({"type": "response.create"})
            async for event in pipeline:
                if event["type"] == "response.output_audio.delta" and left:
                    process.running.send_signal(left.pop())
                if event["type"] == "response.done":
                    ends.append(event["response"]["status"])
        told, _ = await process.running.communicate()
    assert ends == [status]
    assert process.running.returncode == 0
    assert int(told) > 10_000, "what it has loaded is not looked through again and again"
