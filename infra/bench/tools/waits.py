"""Measures how long somebody waits for a tool: until it is called, until words that hold the floor, until its result
is told aloud."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from infra.bench.tools.requests import ToolRequests
from pipeline.asking.stages import run_offline, some_stages
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.turns.stage import Stage
from pipeline.turns.stages import RecitalEngine, text_to_say
from pipeline.types.chunks import AudioChunk, TurnId
from pipeline.types.function_tools import FunctionCall, ToolOptions
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

C = TypeVar("C")
Chain = tuple[Stage[Any, Any], ...]

NAME = "waits"
HOLD = "One moment, please."
HOLD_AFTER_S = 1.0  # that a tool runs before the agent says so
RESULT = "17 degrees and rain"


@dataclass(frozen=True, slots=True)
class ToolWait:
    """The waits of one request, in seconds.

    Attributes:
        call_s: From the question, made out, to the whole call.
        hold_s: From the order to say `HOLD` to its first sound.
        result_s: From the result to the first sound of its answer.
    """

    call_s: float
    hold_s: float
    result_s: float

    @property
    def held_s(self) -> float:
        """From the question to the first word that holds the floor, of a tool that takes long."""
        return self.call_s + HOLD_AFTER_S + self.hold_s


def told(waits: list[ToolWait]) -> str:
    """The figures of all requests, a line each."""
    figures = {
        "question -> call": [wait.call_s for wait in waits],
        "question -> first held word, of a slow tool": [wait.held_s for wait in waits],
        "tool result -> first sound": [wait.result_s for wait in waits],
    }
    return "\n".join(
        f"{name}: median {median(all_s):.1f} s, longest {max(all_s):.1f} s" for name, all_s in figures.items()
    )


async def wait_for_tools(models: Path, known: ToolRequests) -> AsyncGenerator[ToolWait | None, None]:
    """The waits of each request; None: the model called or said nothing. What prompts begin with is read before."""
    async with some_stages(PROFILES[EMBEDDED], models, {"aura": {"instructions": ()}, "tts": {}}) as stages:
        waits = _Waits(stages.answer, ToolOptions(known.tools))
        await waits.first(FunctionCall, _asked(known.requests[-1].ask))
        for request in known.requests:
            yield await waits.of(request.ask)


class _Waits:
    def __init__(self, answers: Chain, tools: ToolOptions) -> None:
        self._answers, self._tools = answers, tools
        text_at = next(at for at, stage in enumerate(answers) if stage.spec.final_output_type == "text")
        recital: Stage[Any, Any] = Stage(answers[text_at].spec, RecitalEngine(), text_to_say)
        self._recites: Chain = (recital, *answers[text_at + 1 :])
        self._turns = 0

    async def of(self, ask: str) -> ToolWait | None:
        call_s, call = await self.first(FunctionCall, _asked(ask))
        if call is None:
            return None
        hold_s, hold = await self.first(AudioChunk, _asked(ask), say=HOLD)
        made = Item("call", "assistant", call.arguments, kind="function_call", call_id=call.call_id, name=call.name)
        output = Item("output", "user", RESULT, kind="function_call_output", call_id=call.call_id)
        result_s, sound = await self.first(AudioChunk, _asked(ask).with_item(made).with_item(output))
        return ToolWait(call_s, hold_s, result_s) if hold and sound else None

    async def first(self, kind: type[C], history: History, say: str | None = None) -> tuple[float, C | None]:
        """How long until the first of such chunks, and it."""
        clock = asyncio.get_running_loop().time
        began, found = clock(), list[tuple[float, C]]()

        def emit(chunk: object) -> None:
            if isinstance(chunk, kind) and not (isinstance(chunk, AudioChunk) and not any(chunk.pcm)):
                found.append((clock() - began, chunk))

        self._turns += 1
        options = ResponseOptions(cache_salt=NAME, tools=self._tools, say=say)
        stages = self._answers if say is None else self._recites
        await run_offline(TurnId(NAME, self._turns), TurnRequest(history, options), stages, emit)
        return found[0] if found else (0.0, None)


def _asked(ask: str) -> History:
    return History((Item("request", "user", ask, "audio"),))
