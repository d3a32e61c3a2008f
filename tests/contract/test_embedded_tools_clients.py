"""Clients that know nothing of us have the embedded profile's model call a function, and tell what came of it."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from livekit.agents import llm
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import LLMRunFrame, TTSTextFrame
from pipecat.services.llm_service import FunctionCallParams

from pipeline.asking.stages import OfflineStages, some_stages
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.turns.stages import PipelineStages
from tests.contract.embedded import MODULE_BACKEND, for_one_caller
from tests.contract.test_wire_livekit import agent
from tests.contract.test_wire_pipecat import bot
from tests.contract.wire_sdk import talking
from tests.contract.wire_tools import QUESTION, WEATHER
from tests.contract.wire_wait import PATIENCE_S, eventually
from tests.scenario import Line

pytestmark = pytest.mark.contract

RESULT = "17 degrees and rain"


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def stages(models_dir: Path) -> AsyncGenerator[OfflineStages, None]:
    async with some_stages(PROFILES[EMBEDDED], models_dir, {"aura": for_one_caller(models_dir), "tts": {}}) as opened:
        yield opened


@dataclass(slots=True)
class RealLine(Line):
    """A line whose model and voice are real; nothing is heard."""

    opened: OfflineStages | None = None

    def stages(self) -> PipelineStages:
        assert self.opened
        return PipelineStages(self.asr, self.opened.answer)


def told(text: str) -> bool:
    """The result is told."""
    return "17" in text and "rain" in text


async def test_the_openai_package(stages: OfflineStages) -> None:
    async with talking(RealLine(opened=stages)) as talk:
        await talk.updates(tools=[WEATHER], tool_choice="auto", output_modalities=["text"])
        await talk.asks(QUESTION)
        await talk.connection.response.create()
        call = await talk.until("response.function_call_arguments.done")
        assert (call.name, json.loads(call.arguments)["city"]) == ("get_weather", "Paris")
        await talk.until("response.done")
        item: Any = {"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
        await talk.connection.conversation.item.create(item=item)
        await talk.connection.response.create()
        done = await talk.until("response.done")
        assert told(done.response.output[0].content[0].text)


@llm.function_tool
async def get_weather(city: str) -> str:
    """Tells the weather of a city.

    Args:
        city: Where.
    """
    assert city == "Paris"
    return RESULT


async def test_the_openai_plugin_of_livekit(stages: OfflineStages) -> None:
    async with agent(RealLine(opened=stages)) as it:
        await it.session.update_tools([get_weather])
        await it.says(("question", QUESTION))
        generation = await it.session.generate_reply()
        (call,) = [call async for call in generation.function_stream]
        await eventually(lambda: not it.session.has_active_generation, PATIENCE_S)
        result = await get_weather(**json.loads(call.arguments))
        context = it.session.chat_ctx.copy()
        context.items.append(
            llm.FunctionCallOutput(call_id=call.call_id, name=call.name, output=result, is_error=False)
        )
        await it.session.update_chat_ctx(context)
        generation = await it.session.generate_reply()
        (message,) = [message async for message in generation.message_stream]
        assert told("".join([str(piece) async for piece in message.text_stream]))
        await eventually(lambda: not it.session.has_active_generation, PATIENCE_S)


async def test_pipecat(stages: OfflineStages) -> None:
    asked: list[Any] = []

    async def weather(params: FunctionCallParams) -> None:
        asked.append(params.arguments)
        await params.result_callback(RESULT)

    tool = FunctionSchema("get_weather", "Tells the weather of a city.", {"city": {"type": "string"}}, ["city"])
    async with bot(RealLine(opened=stages)) as it:
        it.service.register_function("get_weather", weather)
        it.context.set_tools(ToolsSchema(standard_tools=[tool]))
        it.context.add_message({"role": "user", "content": QUESTION})
        await it.worker.queue_frame(LLMRunFrame())
        await eventually(lambda: len(it.tap.all("response.done")) > 1, PATIENCE_S)
        await eventually(lambda: told("".join(frame.text for frame in it.all(TTSTextFrame))), PATIENCE_S)
    assert asked == [{"city": "Paris"}]
