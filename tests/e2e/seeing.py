"""A scripted pipeline that sees, with an agent and a page of its own: what is shown to its model can be read."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from livekit import api

from infra.bench.person.grant import Grant
from infra.free_ports import LOOPBACK
from infra.launcher.base.processes import child
from infra.launcher.supervise.ports import choose_ports
from pipeline.engines.fake import FakeEngine, hears
from pipeline.media.video_chunk import VideoChunk
from pipeline.topology.processors.aura import ROOM
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import MultimodalPrompt
from tests.e2e.agents import WORK, NamedAgent
from tests.e2e.observed import STOP_S, healthy
from tests.e2e.own_livekit import own_agent, own_livekit
from tests.e2e.stack import ROOT, Stack
from tests.room import QUESTION, SEES, Room, to_scene
from tests.scenario import TTS, Line, to_sentences
from tests.served import ABLE, KEY, served

NAME = "aura-seeing"
NOVA = """
name = "Nova"
voice = "alto"
greeting = "Nova is here."
"""


class SeeingLine(Line):
    """Scripted engines whose language model is shown pictures."""

    def stages(self) -> PipelineStages:
        return PipelineStages(self.asr, (Stage(SEES, self.aura, to_scene), Stage(TTS, self.tts, to_sentences)))


@dataclass(frozen=True, slots=True)
class SeeingAgent:
    """Where the page is, who calls the agent into a room, and what its model was given."""

    agent: NamedAgent
    page_url: str
    eyes: FakeEngine[MultimodalPrompt, Any]
    agent_log: Path

    def grant(self, room: str, identity: str) -> Grant:
        return self.agent.grant(room, identity)

    def seconds(self) -> list[VideoChunk]:
        """What the model was shown in the newest conversation, second by second, each as it was last."""
        clips = [part for prompt in self.eyes.prompts for part in prompt.parts if isinstance(part, VideoChunk)]
        calls = [*dict.fromkeys(conversation(clip) for clip in clips)]
        shown = {clip.id.partition("-")[0]: clip for clip in clips if conversation(clip) == calls[-1]}
        return [*shown.values()]

    def sources(self) -> list[str]:
        """Of the seconds, one after the other, what they are of, without repetitions."""
        of = [clip.source for clip in self.seconds()]
        return [source for at, source in enumerate(of) if at == 0 or of[at - 1] != source]


def conversation(clip: VideoChunk) -> str:
    """The name of the session that has seen it."""
    return clip.id.rpartition(".")[0]


@asynccontextmanager
async def seeing_agent(stack: Stack, folder: Path) -> AsyncGenerator[SeeingAgent]:
    """Runs pipeline, agent and page for as long as the context lasts."""
    ports, eyes = choose_ports({}), Room().aura
    agent_log, page_log = folder / "agent.log", folder / "page.log"
    line: Any = SeeingLine(asr=hears(QUESTION), aura=eyes)  # type: ignore[arg-type]
    async with served(line, able=replace(ABLE, limits=ROOM)) as pipeline:
        agent = NamedAgent(stack, NAME)
        environ = agent.environ(ports, pipeline.url, AURA_PIPELINE_KEY=KEY)
        web = [sys.executable, "-m", "agent.main", "web", "--port", str(ports.web), "--static", str(stack.layout.page)]
        async with (
            child(WORK, cwd=ROOT, env=environ, log=agent_log, stop_s=STOP_S),
            child(web, cwd=ROOT, env=environ, log=page_log, stop_s=STOP_S),
        ):
            await healthy(f"http://{LOOPBACK}:{ports.agent}/", agent_log)
            await healthy(f"http://{LOOPBACK}:{ports.web}/", page_log)
            yield SeeingAgent(agent, f"http://{LOOPBACK}:{ports.web}/", eyes, agent_log)


@dataclass(frozen=True, slots=True)
class SeeingPage:
    """Where the page is, and what the model behind it was given."""

    url: str
    eyes: FakeEngine[MultimodalPrompt, Any]

    def shown(self) -> list[VideoChunk]:
        """Every picture that it was given."""
        return [part for prompt in self.eyes.prompts for part in prompt.parts if isinstance(part, VideoChunk)]


@asynccontextmanager
async def seeing_page(home: Path, folder: Path) -> AsyncGenerator[SeeingPage]:
    """Runs the page's server, a LiveKit server and a real agent on a scripted pipeline: no model is loaded.

    Args:
        home: The installation whose `livekit-server` runs.
        folder: For logs.
    """
    port, log, eyes = choose_ports({}).web, folder / "page.log", Room().aura
    web = [sys.executable, "-m", "agent.main", "web", "--port", str(port), "--static", str(ROOT / "frontend" / "dist")]
    line: Any = SeeingLine(asr=hears(QUESTION), aura=eyes)  # type: ignore[arg-type]
    async with (
        served(line, able=replace(ABLE, limits=ROOM), max_sessions=8) as pipeline,
        own_livekit(home, folder) as livekit,
    ):
        (folder / "nova.toml").write_text(NOVA)
        there = {
            "AURA_PIPELINE_URL": pipeline.url,
            "AURA_PIPELINE_KEY": KEY,
            "AURA_PERSONAS": str(folder / "nova.toml"),
        }
        settings = livekit.settings
        page = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("AURA_", "LIVEKIT_"))},
            **there,
            "PYTHONPATH": str(ROOT),
            "AURA_HOME": str(folder),
            "LIVEKIT_URL": settings.url,
            "LIVEKIT_API_KEY": settings.api_key,
            "LIVEKIT_API_SECRET": settings.api_secret,
        }
        async with (
            own_agent(livekit, there, folder / "agent") as agent,
            child(web, cwd=folder, env=page, log=log, stop_s=STOP_S),
        ):
            await healthy(f"http://{LOOPBACK}:{port}/health", log)
            yield SeeingPage(f"http://{LOOPBACK}:{port}/", eyes)
            async with livekit.server() as server:
                for room in await livekit.rooms():  # their jobs would wait for whoever may come back
                    await server.room.delete_room(api.DeleteRoomRequest(room=room))
            await agent.idle()
