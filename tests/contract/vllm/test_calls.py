"""Function calls on the real vLLM: whatever weights and seed, only a call that can be made is ever written."""

import asyncio
import gc
import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.engines.aura.engine import AuraEngine, as_chunk
from pipeline.engines.aura.prompt import multimodal_prompt
from pipeline.engines.aura.setup import open_aura
from pipeline.engines.vllm.conversion import sampling_params, structured_outputs
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.models.aura.text import AuraText
from pipeline.tools.call_check import call_fault
from pipeline.tools.call_parser import CallParser
from pipeline.turns.function_calls import with_function_calls
from pipeline.types.chunks import FinishReason, MultimodalPrompt, Priority, TextChunk
from pipeline.types.function_tools import FunctionCall, FunctionTool, ToolOptions, WrittenCall
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest
from tests.contract.embedded import MODULE_BACKEND, all_of, once
from tests.contract.vllm.seeing import GREEDY
from tests.contract.vllm.tiny_aura import write_aura

UNCLOSED = r"ignore:Exception ignored in. <function Context.__del__:pytest.PytestUnraisableExceptionWarning"
pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings(UNCLOSED)]  # vLLM leaves a context of ZeroMQ's behind

SEEDS = range(24)
HOT = 2.0
MOST = 160  # tokens of an answer, of which most are bytes


def tool(name: str, **schema: Any) -> FunctionTool:
    return FunctionTool(name, "Does something.", json.dumps({"type": "object", **schema}))


LAMP = tool(
    "set_lamp",
    properties={
        "on": {"type": "boolean"},
        "level": {"type": "integer", "minimum": 0, "maximum": 9},
        "room": {"enum": ["hall", "küche"]},
    },
    required=["on", "room"],
    additionalProperties=False,
)
GO = tool(
    "go",
    **{"$defs": {"place": {"type": "object", "properties": {"x": {"enum": [1, 2]}}, "required": ["x"]}}},
    properties={"to": {"$ref": "#/$defs/place"}, "why": {"type": "string", "maxLength": 6}},
    required=["to"],
)
NOW = tool("now", properties={})
TOOLS = ToolOptions((LAMP, GO, NOW))
CHOICES = {
    "auto": TOOLS,
    "auto, one at a time": replace(TOOLS, parallel=False),
    "required": replace(TOOLS, mode="required"),
    "required, one at a time": replace(TOOLS, mode="required", parallel=False),
    "named": replace(TOOLS, mode="required", named="set_lamp"),
}


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_aura(tmp_path_factory.mktemp("models") / "aura", calls=True)


@pytest.fixture(scope="module")
async def aura(vllm_on_a_cpu: None, folder: Path) -> AsyncIterator[AuraEngine]:
    engine = await open_aura(
        folder.parent, model=folder.name, max_sessions=12, sampling_defaults=SamplingDefaults(), dtype="float32",
        enforce_eager=True, block_size=32, distributed_executor_backend="uni", skip_mm_profiling=True,
        kv_cache_memory_bytes=128 << 20, mm_processor_cache_gb=0.25,
    )  # fmt: skip
    yield engine
    await engine.aclose()
    gc.collect()  # here, and not in another test


@dataclass(frozen=True)
class Answer:
    """What a model has written.

    Attributes:
        parts: Words and calls, in order, but for a call that is cut.
        finish_reason: `length`: it is cut.
    """

    parts: list[str | WrittenCall]
    finish_reason: FinishReason | None

    @property
    def calls(self) -> list[WrittenCall]:
        return [each for each in self.parts if isinstance(each, WrittenCall)]


def seeded(aura: AuraEngine, seed: int) -> AuraEngine:
    """The same vLLM, which draws anew for each seed."""
    settings = replace(aura._engine_settings, sampling_defaults=SamplingDefaults(HOT, seed=seed))
    return AuraEngine(aura._requests, aura._text, settings)


def asked(options: ToolOptions, most: int = MOST) -> MultimodalPrompt:
    history = History((Item("q", "user", "Do it."),))
    return multimodal_prompt(TurnRequest(history, ResponseOptions(cache_salt="calls", max_tokens=most, tools=options)))


async def answered(aura: AuraEngine, seed: int, options: ToolOptions) -> Answer:
    engine, parser = seeded(aura, seed), CallParser()
    parts: list[str | WrittenCall] = []
    reason: FinishReason | None = None
    name = f"{seed}-{options.mode}-{options.named}-{options.parallel}"
    async for chunk in engine.generate(name, once(asked(options))):
        reason = chunk.finish_reason or reason
        parts += parser.feed(chunk.text)
    return Answer([*parts, *parser.finish(is_cut=reason == "length")], reason)


@pytest.mark.parametrize("choice", CHOICES)
async def test_every_call_that_is_written_can_be_made(aura: AuraEngine, choice: str) -> None:
    options = CHOICES[choice]
    answers = await asyncio.gather(*(answered(aura, seed, options) for seed in SEEDS))
    calls = [call for answer in answers for call in answer.calls]
    assert [(fault, call.raw) for call in calls if (fault := call_fault(call, options))] == []
    assert len(calls) >= len(SEEDS) // 8, "of words and stops there are many more"
    if not options.is_required:
        assert any(isinstance(part, str) for answer in answers for part in answer.parts)
        assert options.parallel or max(len(answer.calls) for answer in answers) == 1
        return
    assert not any(isinstance(part, str) and part.strip() for answer in answers for part in answer.parts)
    assert all(answer.calls for answer in answers if answer.finish_reason == "stop")
    assert Counter(call.name for call in calls).keys() == {tool.name for tool in options.callable_tools}
    most = max(len(answer.calls) for answer in answers)
    assert most > 1 if options.parallel and not options.named else most == 1


async def test_a_turn_needs_no_second_attempt(aura: AuraEngine) -> None:
    options = CHOICES["named"]
    for seed in SEEDS[:4]:
        request = f"turn-{seed}"
        made = with_function_calls(seeded(aura, seed), request, once(asked(options)), options, "aura")
        chunks = [chunk async for chunk in made]
        calls = [chunk for chunk in chunks if isinstance(chunk, FunctionCall)]
        last = chunks[-1]
        assert isinstance(last, TextChunk)
        assert [call.name for call in calls] == ["set_lamp"] or last.finish_reason == "length"


async def test_a_schema_that_vllm_holds_no_call_to_is_served_all_the_same(aura: AuraEngine) -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(14):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
    strange = tool("strange", properties={"x": {"type": "nonsense"}}, required=["x"])
    for odd in (strange, tool("deep", **deep)):
        options = ToolOptions((odd, NOW), "required")
        answer = await answered(aura, 1, options)
        assert answer.finish_reason, "the engine took the request"
    tag = structured_outputs(ToolOptions((strange, NOW)))
    assert tag and tag.structural_tag
    schemas = [each["content"]["json_schema"] for each in json.loads(tag.structural_tag)["format"]["tags"]]
    assert schemas == [{"type": "object"}, {"type": "object", "properties": {}}], "only of the one nothing is said"


async def test_without_functions_nothing_is_held_to_anything(aura: AuraEngine, folder: Path) -> None:
    text = AuraText.read(folder)
    for options in (ToolOptions(), replace(TOOLS, mode="none")):
        assert sampling_params(GREEDY, as_chunk(asked(options), text)).structured_outputs is None
    assert sampling_params(GREEDY, as_chunk(asked(TOOLS), text)).structured_outputs is not None
    ahead = replace(asked(TOOLS), max_tokens=0, priority=Priority.PREFILL)
    assert sampling_params(GREEDY, as_chunk(ahead, text)).structured_outputs is None
    assert await all_of(aura, ahead) == []
