"""Starts what a room is made of in front of a served pipeline: livekit-server, a tap, the agent worker."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from string import Template

from livekit import api

from infra.bench.person.grant import Grant
from infra.free_ports import LOOPBACK
from infra.launcher.supervise.health import until_healthy
from infra.launcher.supervise.ports import Ports, choose_ports
from tests.gpu.sections import Row
from tests.served import KEY

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "infra" / "livekit" / "livekit.yaml"
API_KEY, SECRET, NAME = "APIroom", "a-secret-for-a-room-of-a-measurement", "aura"
START_S = {"livekit-server": 30.0, "tap": 30.0, "agent": 120.0}
STOP_S = 10.0
GRACE_S = 1  # for which an agent waits for who has left: the next callers need its place
IDLE_PROCESSES = 4  # of the worker, warm
MOST_JOBS = 64


@dataclass(frozen=True, slots=True)
class RoomStack:
    """Where rooms are, and what went by between their agents and the pipeline."""

    url: str
    tap_log: Path

    def grant(self, room: str, identity: str, *, agent: bool = True) -> Grant:
        """A token as the page's server hands it out: it calls our agent into the room, unless `agent` is false."""
        called = [api.RoomAgentDispatch(agent_name=NAME)] if agent else []
        token = (
            api.AccessToken(API_KEY, SECRET)
            .with_identity(identity)
            .with_grants(api.VideoGrants(room_join=True, room=room, can_update_own_metadata=True))
            .with_room_config(api.RoomConfiguration(agents=called))
        )
        return Grant(self.url, token.to_jwt())

    def tapped(self) -> list[Row]:
        """All that went by so far."""
        lines = self.tap_log.read_text().splitlines()
        return [json.loads(line) for line in lines if line.endswith("}")]


@asynccontextmanager
async def room_stack(
    livekit_server: Path, pipeline: str, logs: Path, *, full_stops: bool = False
) -> AsyncGenerator[RoomStack]:
    """Runs for as long as the context lasts; each says what it has to say in a file beside `logs`.

    Args:
        full_stops: The tap ends the sentences of a recogniser that ends none.
    """
    ports = choose_ports({})
    settings = logs.with_suffix(".livekit.yaml")
    settings.write_text(_settings(ports))
    tap_log = logs.with_suffix(".tap.jsonl")
    tap, livekit = f"http://{LOOPBACK}:{ports.web}", f"ws://{LOOPBACK}:{ports.livekit}"
    python = (sys.executable, "-m")
    tapped = ("--port", str(ports.web), "--pipeline", pipeline, "--log", str(tap_log))
    parts: tuple[tuple[str, Sequence[str], Mapping[str, str], str], ...] = (
        (
            "livekit-server",
            (str(livekit_server), "--config", str(settings)),
            {"LIVEKIT_KEYS": f'"{API_KEY}": "{SECRET}"'},
            f"http://{LOOPBACK}:{ports.livekit}/",
        ),
        (
            "tap",
            (*python, "tests.gpu.room_tap", *tapped, *(("--full-stops",) if full_stops else ())),
            {},
            f"{tap}/health",
        ),
        (
            "agent",
            (*python, "agent.main", "start"),
            _agent_environ(livekit, tap, ports.agent),
            f"http://{LOOPBACK}:{ports.agent}/health",
        ),
    )
    with _running(parts, logs) as processes:
        for name, _, _, health in parts:
            await _healthy(name, health, processes[name], logs)
        yield RoomStack(livekit, tap_log)


def _settings(ports: Ports) -> str:
    """As the launcher writes them."""
    template = Template(SETTINGS.read_text())
    return template.substitute(livekit=ports.livekit, livekit_tcp=ports.livekit_tcp, livekit_udp=ports.livekit_udp)


def _agent_environ(livekit: str, pipeline: str, port: int) -> dict[str, str]:
    return {
        "AURA_AGENT_NAME": NAME,
        "AURA_AGENT_PORT": str(port),
        "AURA_AGENT_GRACE_S": str(GRACE_S),
        "AURA_AGENT_IDLE_PROCESSES": str(IDLE_PROCESSES),
        "AURA_AGENT_MAX_JOBS": str(MOST_JOBS),
        "AURA_AGENT_DRAIN_S": "0",
        "AURA_PERSONA_PROACTIVE": "off",  # weights that are made up have something to say of every picture
        "AURA_PIPELINE_KEY": KEY,
        "AURA_PIPELINE_URL": pipeline,
        "LIVEKIT_API_KEY": API_KEY,
        "LIVEKIT_API_SECRET": SECRET,
        "LIVEKIT_URL": livekit,
        "PYTHONUNBUFFERED": "1",
    }


@contextmanager
def _running(
    parts: Sequence[tuple[str, Sequence[str], Mapping[str, str], str]], logs: Path
) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """All at once, each in a process group that ends with it; the last one started ends first."""
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, argv, env, _ in parts:
            with _log(logs, name).open("wb") as told:
                processes[name] = subprocess.Popen(
                    argv, cwd=ROOT, env={**os.environ, **env}, stdout=told, stderr=told, start_new_session=True
                )
        yield processes
    finally:
        for process in reversed(processes.values()):
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


async def _healthy(name: str, url: str, process: subprocess.Popen[bytes], logs: Path) -> None:
    try:
        async with asyncio.timeout(START_S[name]):
            await until_healthy(url)
    except TimeoutError:
        state = "runs" if process.poll() is None else f"ended with code {process.returncode}"
        said = _log(logs, name).read_text(errors="replace")[-2_000:]
        raise RuntimeError(f"{name} is not healthy after {START_S[name]:.0f} s, and {state}:\n{said}") from None


def _log(logs: Path, name: str) -> Path:
    return logs.with_suffix(f".{name}.log")
