"""What a room needs, for one measurement: a LiveKit server, a pipeline with a script, and a worker of the agent's."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from agent.settings.agent import LiveKitSettings
from agent.web.join_token import TokenRequest, join_token
from infra.bench.person.grant import Grant
from infra.free_ports import free_ports

HOST = "127.0.0.1"
START_S = 90.0
STOP_S = 10.0
PORTS = 4  # that a stack has: LiveKit's two, the pipeline's, the worker's
AGENT = "aura-bench"
KEY, SECRET = "bench", "a secret of no less than thirty-two letters"


@dataclass(frozen=True, slots=True)
class Rooms:
    """Rooms into which the agent comes when somebody does."""

    livekit: LiveKitSettings

    def grant(self, room: str, identity: str, *, language: str) -> Grant:
        """For one call.

        Args:
            language: ISO 639-1 code of what is spoken there.
        """
        attributes = {"aura.persona": json.dumps({"language": language})}
        asked = TokenRequest(room, participant_identity=identity, participant_attributes=attributes)
        return Grant(self.livekit.url, join_token(self.livekit, asked))


@asynccontextmanager
async def rooms(
    home: Path, folder: Path, answer: str, ports: Sequence[int] | None = None
) -> AsyncGenerator[Rooms, None]:
    """All three for as long as the context lasts.

    Args:
        home: The installation whose `livekit-server` and models are used.
        folder: For logs.
        answer: What the agent says to whatever it is asked.
        ports: So many as `PORTS`, which nobody has; None: some are found.

    Raises:
        RuntimeError: One of them does not start.
    """
    livekit, tcp, pipeline, worker = ports or free_ports(PORTS)
    settings = (
        f"port: {livekit}\nbind_addresses: [{HOST}]\nkeys: {{{KEY}: {SECRET}}}\n"
        f"rtc: {{tcp_port: {tcp}, udp_port: {tcp}, node_ip: {HOST}, enable_loopback_candidate: true, "
        "interfaces: {includes: [lo]}}\n"
    )
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("AURA_", "LIVEKIT_"))}
    url, pipeline_key = f"ws://{HOST}:{livekit}", "a-key-of-this-bench"
    told = {
        "AURA_HOME": str(folder),
        "AURA_PIPELINE_URL": f"http://{HOST}:{pipeline}",
        "AURA_PIPELINE_KEY": pipeline_key,
        "AURA_AGENT_NAME": AGENT,
        "AURA_AGENT_PORT": str(worker),
        "AURA_AGENT_IDLE_PROCESSES": "1",
        "LIVEKIT_URL": url,
        "LIVEKIT_API_KEY": KEY,
        "LIVEKIT_API_SECRET": SECRET,
    }
    script = "infra.bench.turn_taking.scripted_pipeline"
    commands: tuple[tuple[str, list[str], str], ...] = (
        (
            "livekit-server",
            [str(home / "bin" / "livekit-server"), "--config-body", settings],
            f"http://{HOST}:{livekit}/",
        ),
        (
            "pipeline",
            [sys.executable, "-m", script, str(pipeline), str(home / "models"), answer],
            f"http://{HOST}:{pipeline}/ready",
        ),
        ("agent", [sys.executable, "-m", "agent.main", "start"], f"http://{HOST}:{worker}/"),
    )
    async with AsyncExitStack() as stack:
        for name, command, health in commands:
            log = folder / f"{name}.log"
            await stack.enter_async_context(_child(command, bare | told, log))
            await _healthy(name, health, log)
        yield Rooms(LiveKitSettings(url, KEY, SECRET, AGENT))


@asynccontextmanager
async def _child(command: list[str], environ: Mapping[str, str], log: Path) -> AsyncGenerator[None, None]:
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(*command, env=dict(environ), stdout=file, stderr=file)
        try:
            yield
        finally:
            if process.returncode is None:
                process.terminate()
                try:
                    async with asyncio.timeout(STOP_S):
                        await process.wait()
                except TimeoutError:
                    process.kill()
                    await process.wait()


async def _healthy(name: str, url: str, log: Path) -> None:
    clock = asyncio.get_running_loop().time
    until = clock() + START_S
    async with aiohttp.ClientSession() as http:
        while clock() < until:
            try:
                async with http.get(url) as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.2)
    raise RuntimeError(f"{name} is not ready after {START_S:g} s; the end of its log:\n{log.read_text()[-2_000:]}")
