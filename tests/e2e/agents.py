"""Agents beside the stack's own, each on a pipeline of its own: who calls them into a room, and in what they run."""

import sys
from dataclasses import dataclass

from agent.settings.agent import LiveKitSettings
from agent.web.join_token import TokenRequest, join_token
from infra.bench.person.grant import Grant
from infra.launcher.supervise.ports import Ports
from tests.e2e.stack import Stack

WORK = (sys.executable, "-m", "agent.main", "start")


@dataclass(frozen=True, slots=True)
class NamedAgent:
    """An agent that comes where its name is called, at the stack's LiveKit server."""

    stack: Stack
    name: str

    def grant(self, room: str, identity: str) -> Grant:
        """A token that calls the agent into the room."""
        url, keys = self.stack.running.livekit_url, self.stack.keys
        livekit = LiveKitSettings(url, keys["LIVEKIT_API_KEY"], keys["LIVEKIT_API_SECRET"], self.name)
        return Grant(url, join_token(livekit, TokenRequest(room, participant_identity=identity)))

    def environ(self, ports: Ports, pipeline_url: str, **more: str) -> dict[str, str]:
        """In which it runs, and its page."""
        return {
            **self.stack.environ,
            **self.stack.keys,
            "AURA_HOME": str(self.stack.layout.home),
            "AURA_AGENT_NAME": self.name,
            "AURA_AGENT_PORT": str(ports.agent),
            "AURA_AGENT_IDLE_PROCESSES": "1",
            "AURA_PIPELINE_URL": pipeline_url,
            "LIVEKIT_URL": self.stack.running.livekit_url,
            **more,
        }
