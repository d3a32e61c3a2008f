"""A call with tools, over a scripted pipeline: what is heard, told and shown of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import msgspec
import numpy as np
from livekit.agents import UserStateChangedEvent
from livekit.agents.llm import FunctionTool, RawFunctionTool

from agent.call import Call
from agent.console.audio import WavLoudspeaker
from agent.livekit.media import RATE
from agent.persona.persona import Persona
from agent.rooms.failover_metadata import FailoverMetadata
from agent.settings.agent import PipelineSettings
from agent.settings.tools import ToolSettings
from agent.tools.built_in import CallActions
from agent.tools.call_tools import Toolkit
from agent.tools.listed_tool import listed
from agent.turns.endpointing import TURNS
from pipeline.realtime.client import Event
from tests.agent.audience import Notes
from tests.agent.fake_pipeline import FakePipeline

PERSONA = Persona("Aura", "Be brief.", hold="One moment, please.", holds={})
Tool = FunctionTool[..., Any] | RawFunctionTool[..., Any]


class Caller:
    """Somebody in a call with tools."""

    def __init__(self, call: Call, pipeline: FakePipeline, notes: Notes, loudspeaker: WavLoudspeaker) -> None:
        self.call, self.pipeline, self.notes, self._loudspeaker = call, pipeline, notes, loudspeaker

    @property
    def heard_s(self) -> float:
        """Seconds of sound."""
        return float(np.count_nonzero(np.frombuffer(bytes(self._loudspeaker.recording), np.int16))) / RATE

    @property
    def outputs(self) -> list[str]:
        """What the pipeline was told that tools returned."""
        return [event["item"]["output"] for event in self._items("function_call_output")]

    @property
    def output_of(self) -> dict[str, str]:
        """The same, by call."""
        return {each["item"]["call_id"]: each["item"]["output"] for each in self._items("function_call_output")}

    @property
    def reports(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(value) for _, value in self.notes.of("aura.tool")]

    @property
    def states(self) -> list[str]:
        return [report["state"] for report in self.reports]

    @property
    def said(self) -> list[str]:
        """What the agent was told to say as it is."""
        asked = [event["response"].get("metadata", {}) for event in self.pipeline.of("response.create")]
        return [metadata["say"] for metadata in asked if "say" in metadata]

    @property
    def known(self) -> list[str]:
        """What the agent has said, as the pipeline's conversation has it and as it would be told a new pipeline."""
        live = self.call.session.current_agent.realtime_llm_session
        told = [item.text_content or "" for item in live.chat_ctx.messages() if item.role == "assistant"]
        kept = [item["content"][0].get("transcript", "") for item in self.pipeline.items.values()]
        return [*told, *kept]

    @property
    def held_at(self) -> float:
        """When the agent was first told to say something as it is, on the loop's clock."""
        creates = [(at, event) for at, event in self.pipeline.received if event["type"] == "response.create"]
        return next(at for at, event in creates if "say" in event["response"].get("metadata", {}))

    @property
    def asked(self) -> list[Event]:
        """The answers that were asked for."""
        return [event for event in self.pipeline.of("response.create") if "say" not in event["response"]["metadata"]]

    @property
    def conversation(self) -> list[str]:
        """What the agent has said, as LiveKit remembers it."""
        items = self.call.session.history.items
        return [item.text_content or "" for item in items if item.type == "message" and item.role == "assistant"]

    def asks(self) -> None:
        """A question has been asked aloud, and is over."""
        live = self.call.session.current_agent.realtime_llm_session
        live.commit_audio()
        self.call.session.generate_reply(input_modality="audio")

    def speaks(self) -> None:
        self._state("listening", "speaking")

    def falls_silent(self) -> None:
        self._state("speaking", "listening")

    def _state(self, old: Literal["speaking", "listening"], new: Literal["speaking", "listening"]) -> None:
        self.call.session.emit("user_state_changed", UserStateChangedEvent(old_state=old, new_state=new))

    def _items(self, kind: str) -> list[Event]:
        return [event for event in self.pipeline.of("conversation.item.create") if event["item"]["type"] == kind]


@asynccontextmanager
async def calling(
    pipeline: FakePipeline,
    *tools: Tool,
    settings: ToolSettings | None = None,
    actions: CallActions | None = None,
    persona: Persona = PERSONA,
    camera: bool = False,
    recalled: FailoverMetadata | None = None,
) -> AsyncIterator[Caller]:
    """A call that has begun, and in which nothing was said yet."""
    notes, loudspeaker = Notes(), WavLoudspeaker(lambda: 0.0)
    toolkit = Toolkit(settings or ToolSettings(built_in=()), tuple(map(listed, tools)), actions)
    turns = TURNS["browser" if camera else "console"]
    call = Call(
        PipelineSettings("http://pipeline", "key"),
        persona,
        turns,
        notes,
        connect=pipeline.connect,
        toolkit=toolkit,
        recalled=recalled,
    )
    call.session.output.audio = loudspeaker
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(loudspeaker.play())
        await call.start(greet=False)
        await asyncio.sleep(1)
        yield Caller(call, pipeline, notes, loudspeaker)
        await call.aclose()
        playing.cancel()
