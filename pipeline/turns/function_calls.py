"""Tells the function calls of an answer from its words, and has a wrong call written once more."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from pipeline.engines.base import Engine
from pipeline.errors import FunctionCallError
from pipeline.tools.call_check import call_fault
from pipeline.tools.call_parser import CallParser
from pipeline.types.chunks import FinishReason, TextChunk, TokenUsage
from pipeline.types.function_tools import FunctionCall, ToolOptions, WrittenCall
from pipeline.types.ids import call_name

log = logging.getLogger(__name__)

MOST_CALLS = 16  # of one answer
AGAIN = ":again"  # of a second attempt's name
NONE_CALLED = WrittenCall("", "", "")


class CorrectablePrompt(Protocol):
    """A prompt that can go on with what is wrong about its answer."""

    def with_fault(self, call: WrittenCall, words: str, fault: str) -> Self:
        """The prompt once the model has written `words` and a call, and is told what is wrong with that."""
        ...


async def with_function_calls(
    engine: Engine[Any, Any],
    request_id: str,
    prompts: AsyncIterator[CorrectablePrompt],
    options: ToolOptions,
    stage: str,
) -> AsyncGenerator[Any, None]:
    """What a model that writes makes of each prompt: words as they come, and calls when they are complete and fit.

    A wrong call ends what is written, and the model is told once what is wrong. Where a right one stands before it
    the answer ends there instead: the model goes on when it knows what came of that.

    Raises:
        FunctionCallError: The second attempt holds a wrong call too, or no call where one is required.
        EngineError: The engine failed.
    """
    async for prompt in prompts:
        spent = TokenUsage()
        for is_last in (False, True):
            attempt = _Attempt(options, spent)
            async with aclosing(
                attempt.chunks(engine.generate(f"{request_id}{AGAIN * is_last}", _only(prompt)))
            ) as chunks:
                async for chunk in chunks:
                    yield chunk
            if not attempt.fault:
                break
            log.warning("a function call is wrong", extra={"request": request_id, "stage": stage, "again": not is_last})
            if is_last:
                raise FunctionCallError(stage, attempt.fault)
            prompt = prompt.with_fault(attempt.wrong, "".join(attempt.words), attempt.fault)
            spent = attempt.usage or spent


@dataclass(slots=True)
class _Attempt:
    """One writing of an answer.

    Attributes:
        spent: What attempts before it took.
        fault: What is wrong with `wrong`; empty: nothing.
    """

    options: ToolOptions
    spent: TokenUsage
    words: list[str] = field(default_factory=list)
    calls: int = 0
    wrong: WrittenCall = NONE_CALLED
    fault: str = ""
    usage: TokenUsage | None = None
    finish_reason: FinishReason | None = None

    async def chunks(self, written: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        parser, reads = CallParser(), False
        async with aclosing(written):
            async for chunk in written:
                if not isinstance(chunk, TextChunk | WrittenCall):  # what only the next model reads
                    yield chunk
                    continue
                reads = True
                for part in self._parts(parser, chunk):
                    yield part
                if self._is_over:
                    break
        if not self._is_over:
            for each in parser.finish(is_cut=self.finish_reason == "length"):
                for part in self._told(each):
                    yield part
        if self.options.is_required and reads and not self.calls and self.finish_reason != "length":
            self.fault = self.fault or "A function must be called."
        if reads and not self.fault:
            yield TextChunk("", self.usage, self.finish_reason)

    @property
    def _is_over(self) -> bool:
        most = MOST_CALLS if self.options.parallel else 1
        return self.calls >= most or bool(self.fault) or (self.wrong is not NONE_CALLED)

    def _parts(self, parser: CallParser, chunk: TextChunk | WrittenCall) -> Iterator[TextChunk | FunctionCall]:
        if isinstance(chunk, WrittenCall):
            yield from self._told(chunk)
            return
        if chunk.usage:
            self.usage = _sum(self.spent, chunk.usage)
        self.finish_reason = chunk.finish_reason or self.finish_reason
        for each in parser.feed(chunk.text):
            yield from self._told(each)

    def _told(self, part: str | WrittenCall) -> Iterator[TextChunk | FunctionCall]:
        if self._is_over:
            return
        if isinstance(part, str):
            self.words.append(part)
            if not self.options.is_required:
                yield TextChunk(part, self.usage)
        elif self.options.callable_tools:
            yield from self._called(part)

    def _called(self, call: WrittenCall) -> Iterator[FunctionCall]:
        if wrong := call_fault(call, self.options):
            self.wrong, self.fault = call, "" if self.calls else wrong
            return
        self.calls += 1
        yield FunctionCall(call_name(), call.name, call.arguments)


def _sum(one: TokenUsage, other: TokenUsage) -> TokenUsage:
    return replace(
        other,
        prompt=one.prompt + other.prompt,
        seen=one.seen + other.seen,
        cached=one.cached + other.cached,
        written=one.written + other.written,
    )


async def _only(prompt: CorrectablePrompt) -> AsyncGenerator[CorrectablePrompt, None]:
    yield prompt
