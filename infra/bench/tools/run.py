"""Has the embedded profile's model answer each request, with nothing said before it."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from infra.bench.tools.requests import ToolRequest, ToolRequests
from pipeline.asking.stages import OfflineStages, run_offline, some_stages
from pipeline.errors import FunctionCallError
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.types.chunks import TextChunk, TurnId
from pipeline.types.function_tools import FunctionCall, FunctionTool, ToolOptions
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

NAME = "tools"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What the model did on one request."""

    request: ToolRequest
    calls: list[FunctionCall]
    text: str
    seconds: float

    @property
    def is_right(self) -> bool:
        return self.request.is_right(self.calls)

    def said(self) -> str:
        calls = " ".join(f"{call.name}({call.arguments})" for call in self.calls)
        return f"{self.request.ask} -> {' '.join(filter(None, (self.text, calls)))}"


async def ask_for_calls(models: Path, known: ToolRequests) -> AsyncGenerator[ToolAnswer, None]:
    async with some_stages(PROFILES[EMBEDDED], models, {"aura": {"instructions": ()}}) as stages:
        for at, request in enumerate(known.requests):
            yield await _answer(stages, at, request, known.tools)


async def _answer(stages: OfflineStages, at: int, request: ToolRequest, tools: tuple[FunctionTool, ...]) -> ToolAnswer:
    history = History((Item("request", "user", request.ask, "audio"),))
    options = ResponseOptions(modality="text", cache_salt=NAME, tools=ToolOptions(tools))
    chunks: list[object] = []
    clock = asyncio.get_running_loop().time
    began = clock()
    try:
        await run_offline(TurnId(NAME, at), TurnRequest(history, options), stages.answer, chunks.append)
    except FunctionCallError as error:
        chunks.append(TextChunk(f"({error})"))
    calls = [chunk for chunk in chunks if isinstance(chunk, FunctionCall)]
    text = "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))
    return ToolAnswer(request, calls, text, clock() - began)
