"""A third agent, on a pipeline of scripted engines that sees."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent.settings.agent import LiveKitSettings
from agent.web.server import TokenRequest, join_token
from infra.bench.person.grant import Grant
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import LOOPBACK, choose_ports
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.stack import ROOT, Stack
from tests.served import KEY, served
from tests.watcher import Watcher

NAME = "aura-remarking"


@dataclass(frozen=True, slots=True)
class Remarking:
    """Where the agent is, and what its pipeline does."""

    livekit: LiveKitSettings
    line: Watcher = field(default_factory=Watcher)

    def grant(self, room: str, identity: str) -> Grant:
        """A token that calls the agent into the room."""
        return Grant(self.livekit.url, join_token(self.livekit, TokenRequest(room, participant_identity=identity)))


@asynccontextmanager
async def remarking_agent(stack: Stack, folder: Path) -> AsyncGenerator[Remarking]:
    """Runs the agent for as long as the context lasts; its pipeline is in this process."""
    keys, port, log = stack.keys, choose_ports({}).agent, folder / "agent.log"
    livekit = LiveKitSettings(stack.running.livekit_url, keys["LIVEKIT_API_KEY"], keys["LIVEKIT_API_SECRET"], NAME)
    remarking = Remarking(livekit)
    async with served(remarking.line) as pipeline:
        environ = {**stack.environ, **keys, "AURA_HOME": str(stack.layout.home), "AURA_AGENT_NAME": NAME}
        environ |= {"AURA_PIPELINE_URL": pipeline.url, "AURA_PIPELINE_KEY": KEY, "LIVEKIT_URL": livekit.url}
        environ |= {"AURA_AGENT_PORT": str(port), "AURA_AGENT_IDLE_PROCESSES": "1"}
        work = [sys.executable, "-m", "agent.main", "start"]
        async with child(work, cwd=ROOT, env=environ, log=log, stop_s=STOP_S):
            await healthy(f"http://{LOOPBACK}:{port}/", log)
            yield remarking
