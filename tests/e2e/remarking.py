"""A third agent, on a pipeline of scripted engines that sees."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from infra.bench.person.grant import Grant
from infra.free_ports import LOOPBACK
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import choose_ports
from tests.e2e.agents import WORK, NamedAgent
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.stack import ROOT, Stack
from tests.served import KEY, served
from tests.watcher import Watcher

NAME = "aura-remarking"


@dataclass(frozen=True, slots=True)
class Remarking:
    """Where the agent is, and what its pipeline does."""

    agent: NamedAgent
    line: Watcher = field(default_factory=Watcher)

    def grant(self, room: str, identity: str) -> Grant:
        """A token that calls the agent into the room."""
        return self.agent.grant(room, identity)


@asynccontextmanager
async def remarking_agent(stack: Stack, folder: Path) -> AsyncGenerator[Remarking]:
    """Runs the agent for as long as the context lasts; its pipeline is in this process."""
    ports, log = choose_ports({}), folder / "agent.log"
    remarking = Remarking(NamedAgent(stack, NAME))
    async with served(remarking.line) as pipeline:
        environ = remarking.agent.environ(ports, pipeline.url, AURA_PIPELINE_KEY=KEY)
        async with child(WORK, cwd=ROOT, env=environ, log=log, stop_s=STOP_S):
            await healthy(f"http://{LOOPBACK}:{ports.agent}/", log)
            yield remarking
