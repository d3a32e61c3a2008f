"""The data flow: one turn, from the first sound to the last sample."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Protocol

from pipeline.aio.tasks import all_stopped, first
from pipeline.errors import EngineError
from pipeline.speech.streaming_transcriber import Hypothesis
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.stream import Stream
from pipeline.types.chunks import TurnId
from pipeline.types.turn_request import TurnRequest


class View(Protocol):
    """What a turn may know of its session."""

    def ask(self, text: str) -> TurnRequest:
        """The question, if `text` is what the person has said."""
        ...

    def route(self, request: TurnRequest) -> tuple[Stage[Any, Any], ...]:
        """The stages that answer it, in order."""
        ...


async def run_turn(
    turn: TurnId, hypotheses: AsyncGenerator[Hypothesis, None], view: View, output: SpeculativeOutput
) -> TurnRequest | None:
    """Answer what was said, starting before it is certain that the person has finished.

    A hypothesis that is not settled is read ahead: a settled one finds most of its prompt in the cache.
    A settled hypothesis starts an answer behind the closed door of `output`. If a later hypothesis asks
    the same, that answer is adopted; if it asks something else, the answer is dropped without trace.
    When the hypotheses end the turn is certain and the door opens.

    Returns:
        The question that was answered, or None if nothing was asked.
    """
    request: TurnRequest | None = None  # what is being answered
    ahead: TurnRequest | None = None  # what is only being read
    attempt: asyncio.Task[None] | None = None
    async with output, aclosing(hypotheses), asyncio.TaskGroup() as tasks:
        async for hypothesis in hypotheses:
            now = view.ask(hypothesis.text)
            if now == request and not (hypothesis.settled and output.error):
                continue
            if now == ahead and not hypothesis.settled:
                continue
            if attempt:
                await all_stopped([attempt])
                output.clear()
                request = ahead = attempt = None
            if hypothesis.settled:
                request, attempt = (
                    now,
                    tasks.create_task(chain(turn, now, view.route(now), output), name=f"{turn}:answer"),
                )
            elif hypothesis.text:
                ahead, attempt = now, tasks.create_task(prefill(turn, now.unfinished(), view), name=f"{turn}:read")
        output.open()
    return request


async def chain(
    turn: TurnId, request: TurnRequest, stages: tuple[Stage[Any, Any], ...], output: SpeculativeOutput
) -> None:
    """Run the stages side by side, each reading what the one before it makes. A failure ends in `output`."""
    source: AsyncGenerator[Any, None] | Stream[Any] = once(request)
    try:
        async with asyncio.TaskGroup() as tasks:
            for stage in stages:
                outbox: Stream[Any] | None = None if stage is stages[-1] else Stream(stage.inflight)
                name = f"{turn}:{stage.spec.model_stage}"
                tasks.create_task(stage.run(turn, request, source, outbox, output), name=name)
                if outbox is not None:
                    source = outbox
    except* EngineError as failures:
        output.fail(first(failures))


async def prefill(turn: TurnId, request: TurnRequest, view: View) -> None:
    """Have the engines read a question that is still growing. A failure only means that nothing was gained."""
    await chain(turn, request, view.route(request), SpeculativeOutput(0))


async def once(request: TurnRequest) -> AsyncGenerator[TurnRequest, None]:
    yield request
