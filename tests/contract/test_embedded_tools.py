"""Real language models call functions: llama.cpp holds the smaller one to valid calls, the larger one chooses them."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from pipeline.asking.stages import OfflineStages, run_offline, some_stages
from pipeline.engines.llamacpp.engine import LlamaCppEngine
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.tools.schema import fault
from pipeline.turns.function_calls import with_function_calls
from pipeline.types.chunks import ChatMessage, ChatPrompt, TextChunk, TurnId
from pipeline.types.function_tools import FunctionCall, FunctionTool, ToolOptions
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.contract.embedded import MODULE_BACKEND, for_one_caller, once

pytestmark = pytest.mark.contract

SMALL = "smollm2-135m-instruct"
WEATHER = FunctionTool(
    "get_weather",
    "Tells the weather in a city.",
    '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}',
)
TIMER = FunctionTool(
    "set_timer",
    "Starts a timer that rings after some minutes.",
    '{"type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}',
)
SCHEMAS: dict[str, dict[str, Any]] = {
    "nothing": {"type": "object", "properties": {}},
    "several": {
        "type": "object",
        "properties": {"on": {"type": "boolean"}, "level": {"type": "integer"}, "room": {"enum": ["hall", "küche"]}},
        "required": ["on", "level", "room"],
        "additionalProperties": False,
    },
    "referring": {
        "type": "object",
        "$defs": {"place": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
        "properties": {"to": {"$ref": "#/$defs/place"}},
        "required": ["to"],
    },
    "pattern": {
        "type": "object",
        "properties": {"code": {"type": "string", "pattern": "a(?=b)", "maxLength": 8}},
        "required": ["code"],
    },
}


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def small(models_dir: Path) -> AsyncGenerator[LlamaCppEngine, None]:
    engine = await LlamaCppEngine.open(
        models_dir, model=SMALL, fallback=SMALL, threads=1, prompt_threads=1, context=1_024, slots=1
    )
    yield engine
    await engine.aclose()


@pytest.mark.parametrize("name", SCHEMAS)
async def test_a_model_that_knows_nothing_of_functions_can_only_write_a_valid_call(
    small: LlamaCppEngine, name: str
) -> None:
    tool = FunctionTool(name, "Does something.", json.dumps(SCHEMAS[name]))
    options = ToolOptions((tool, WEATHER), "required", name)
    asked = ChatPrompt(
        (ChatMessage("system", "Be kind."), ChatMessage("user", "Do it.")), "salt", 150, 1.0, tools=options
    )
    for _ in range(3):
        chunks = [chunk async for chunk in with_function_calls(small, name, once(asked), options, "aura")]
        calls = [chunk for chunk in chunks if isinstance(chunk, FunctionCall)]
        assert "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk)) == ""
        last = chunks[-1]
        assert isinstance(last, TextChunk)
        if last.finish_reason == "length":
            continue  # a string that does not end is no call
        assert [call.name for call in calls] == [name]
        assert fault(tool, calls[0].arguments) == ""
    assert await small.busy() == 0


async def test_the_smaller_model_is_offered_no_functions(small: LlamaCppEngine) -> None:
    assert not small.calls_functions


@pytest.fixture(scope="module")
async def stages(models_dir: Path) -> AsyncGenerator[OfflineStages, None]:
    async with some_stages(PROFILES[EMBEDDED], models_dir, {"aura": for_one_caller(models_dir)}) as opened:
        yield opened


async def answered(stages: OfflineStages, history: History) -> tuple[str, list[FunctionCall]]:
    options = ResponseOptions(modality="text", cache_salt="tools", tools=ToolOptions((WEATHER, TIMER)))
    chunks: list[object] = []
    await run_offline(TurnId("tools", 0), TurnRequest(history, options), stages.answer, chunks.append)
    text = "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))
    return text, [chunk for chunk in chunks if isinstance(chunk, FunctionCall)]


async def test_the_embedded_model_calls_the_function_that_helps_and_tells_its_result(stages: OfflineStages) -> None:
    history = History((Item("q", "user", "What is the weather in Paris?", "audio"),))
    text, calls = await answered(stages, history)
    assert (text, [call.name for call in calls]) == ("", ["get_weather"])
    assert "paris" in json.loads(calls[0].arguments)["city"].lower()
    made = Item("c", "assistant", calls[0].arguments, kind="function_call", call_id="1", name="get_weather")
    output = Item("o", "user", "17 degrees and rain", kind="function_call_output", call_id="1")
    text, calls = await answered(stages, history.with_item(made).with_item(output))
    assert calls == []
    assert "17" in text and "rain" in text


async def test_the_embedded_model_answers_in_words_what_needs_no_function(stages: OfflineStages) -> None:
    text, calls = await answered(stages, History((Item("q", "user", "What is the capital of France?", "audio"),)))
    assert calls == []
    assert "Paris" in text
