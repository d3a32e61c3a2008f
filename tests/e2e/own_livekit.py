"""A LiveKit server that the launcher did not start, agents on it as anybody starts them, and a scripted pipeline."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from livekit import api, rtc

from agent.settings.agent import LiveKitSettings
from agent.web.join_token import TokenRequest, join_token
from infra.bench.person.grant import Grant
from infra.free_ports import LOOPBACK
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import choose_ports
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.stack import POLL_S, ROOT, get

KEY, SECRET = "mine", "a secret of no less than thirty-two letters"
HEALTH_HOST = "127.0.0.2"
Kind = Literal["standard", "sip", "agent"]
GRACE_S = 2


@dataclass(frozen=True, slots=True)
class OwnLiveKit:
    """Where it is, and what its operator may do."""

    settings: LiveKitSettings

    def grant(self, room: str, identity: str, *, kind: Kind = "standard", **more: Any) -> Grant:
        """A token that somebody else's server has made: it calls no agent.

        Args:
            kind: Of participant, as LiveKit names it in a token.
            more: Grants, or `attributes`.
        """
        attributes = more.pop("attributes", {})
        grants = api.VideoGrants(room_join=True, room=room, agent=kind == "agent", **more)
        token = api.AccessToken(self.settings.api_key, self.settings.api_secret).with_identity(identity)
        return Grant(self.settings.url, token.with_kind(kind).with_grants(grants).with_attributes(attributes).to_jwt())

    def calling(self, room: str, identity: str, agent_name: str, attributes: dict[str, str] | None = None) -> Grant:
        """A token as the page server makes them for an agent of that name."""
        named = LiveKitSettings(self.settings.url, KEY, SECRET, agent_name)
        asked = TokenRequest(room, participant_identity=identity, participant_attributes=attributes)
        return Grant(self.settings.url, join_token(named, asked))

    def server(self) -> api.LiveKitAPI:
        return api.LiveKitAPI(self.settings.url, self.settings.api_key, self.settings.api_secret)

    async def there(self, room: str) -> set[str]:
        """Who is in a room; nobody, if there is none."""
        async with self.server() as server:
            listed = await server.room.list_participants(api.ListParticipantsRequest(room=room))
        return {someone.identity for someone in listed.participants}

    async def rooms(self) -> set[str]:
        async with self.server() as server:
            return {room.name for room in (await server.room.list_rooms(api.ListRoomsRequest())).rooms}


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """A worker that somebody has started."""

    process: Process
    health: str
    log: Path

    async def jobs(self) -> int:
        return int((await get(self.health))["jobs"])

    async def idle(self, within_s: float = 15.0) -> None:
        """Return when it has no calls."""
        async with asyncio.timeout(within_s):
            while await self.jobs():
                await asyncio.sleep(POLL_S)

    def told(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)


@asynccontextmanager
async def own_redis(home: Path, folder: Path) -> AsyncGenerator[str]:
    """A Redis-compatible server on loopback: its address."""
    port = choose_ports({}).redis
    serve: list[str | Path] = [home / "bin" / "redis-server", "--bind", LOOPBACK, "--port", str(port), "--save", ""]
    log = folder / "redis.log"
    async with child(serve, cwd=folder, env=os.environ, log=log, stop_s=STOP_S):
        await healthy(f"redis://{LOOPBACK}:{port}", log)
        yield f"{LOOPBACK}:{port}"


@asynccontextmanager
async def own_livekit(home: Path, folder: Path, redis: str = "") -> AsyncGenerator[OwnLiveKit]:
    """The server for as long as the context lasts, as its manual says to start it, on ports of its own.

    Args:
        redis: The address of that by which several servers are one.
    """
    ports = choose_ports({})
    settings = (
        f"port: {ports.livekit}\nbind_addresses: [{LOOPBACK}]\nkeys: {{{KEY}: {SECRET}}}\n"
        f"rtc: {{udp_port: {ports.livekit_udp}, tcp_port: {ports.livekit_tcp}, node_ip: {LOOPBACK}, "
        "enable_loopback_candidate: true, interfaces: {includes: [lo]}}\n"
        "limit: {max_metadata_size: 2000000}\n" + (f"redis: {{address: '{redis}'}}\n" if redis else "")
    )
    log = folder / f"livekit-{ports.livekit}.log"
    serve: list[str | Path] = [home / "bin" / "livekit-server", "--dev", "--config-body", settings]
    async with child(serve, cwd=folder, env=os.environ, log=log, stop_s=STOP_S):
        await healthy(f"http://{LOOPBACK}:{ports.livekit}/", log)
        yield OwnLiveKit(LiveKitSettings(f"ws://{LOOPBACK}:{ports.livekit}", KEY, SECRET, ""))


@asynccontextmanager
async def own_agent(
    livekit: OwnLiveKit, pipeline: Mapping[str, str], folder: Path, *options: str, **environ: str
) -> AsyncGenerator[OwnAgent]:
    """`aura-agent start` in a folder whose `.env` says where everything is, and an environment that says nothing."""
    folder.mkdir(exist_ok=True)
    where = {"LIVEKIT_URL": livekit.settings.url, "LIVEKIT_API_KEY": KEY, "LIVEKIT_API_SECRET": SECRET, **pipeline}
    (folder / ".env").write_text("".join(f'{name}="{value}"\n' for name, value in where.items()))
    port, log = choose_ports({}).agent, folder / "agent.log"
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("AURA_", "LIVEKIT_"))}
    ours = {"PYTHONPATH": str(ROOT), "AURA_AGENT_GRACE_S": str(GRACE_S), "AURA_AGENT_IDLE_PROCESSES": "1", **environ}
    start = [sys.executable, "-m", "agent.main", "start", "--health-host", HEALTH_HOST, "--health-port", str(port)]
    async with child([*start, *options], cwd=folder, env=bare | ours, log=log, stop_s=STOP_S) as process:
        health = f"http://{HEALTH_HOST}:{port}/health"
        await healthy(health, log)
        yield OwnAgent(process, health, log)


@asynccontextmanager
async def bystander(grant: Grant) -> AsyncGenerator[rtc.Room]:
    """Somebody who is only there: another agent, a phone without a bridge."""
    room = rtc.Room()
    await room.connect(grant.url, grant.token)
    try:
        yield room
    finally:
        await room.disconnect()
