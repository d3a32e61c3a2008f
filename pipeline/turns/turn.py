"""The data flow: one turn, from the first sound to the last sample."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Protocol

from pipeline.aio.tasks import all_stopped, first
from pipeline.errors import EngineError
from pipeline.speech.streaming_transcriber import Hypothesis
from pipeline.turns.speculative_output import Held
from pipeline.turns.stage import Stage
from pipeline.turns.stream import Link
from pipeline.types.chunks import Turn
from pipeline.types.turn_request import Asked


class View(Protocol):
    """What a turn may know of its session."""

    def ask(self, text: str) -> Asked:
        """The question, if `text` is what the person has said."""
        ...

    def route(self, asked: Asked) -> tuple[Stage[Any, Any], ...]:
        """The stages that answer it, in order."""
        ...


async def run_turn(turn: Turn, hypotheses: AsyncGenerator[Hypothesis, None], view: View, held: Held) -> Asked | None:
    """Answer what was said, starting before it is certain that the person has finished.

    A hypothesis that is not settled is read ahead: a settled one finds most of its prompt in the cache.
    A settled hypothesis starts an answer behind the closed door of `held`. If a later hypothesis asks
    the same, that answer is adopted; if it asks something else, the answer is dropped without trace.
    When the hypotheses end the turn is certain and the door opens.

    Returns:
        The question that was answered, or None if nothing was asked.
    """
    asked: Asked | None = None  # what is being answered
    ahead: Asked | None = None  # what is only being read
    attempt: asyncio.Task[None] | None = None
    async with held, aclosing(hypotheses), asyncio.TaskGroup() as tasks:
        async for hypothesis in hypotheses:
            now = view.ask(hypothesis.text)
            if now == asked and not (hypothesis.settled and held.error):
                continue
            if now == ahead and not hypothesis.settled:
                continue
            if attempt:
                await all_stopped([attempt])
                held.clear()
                asked = ahead = attempt = None
            if hypothesis.settled:
                asked, attempt = now, tasks.create_task(chain(turn, now, view.route(now), held), name=f"{turn}:answer")
            elif hypothesis.text:
                ahead, attempt = now, tasks.create_task(read(turn, now.unfinished(), view), name=f"{turn}:read")
        held.open()
    return asked


async def chain(turn: Turn, asked: Asked, stages: tuple[Stage[Any, Any], ...], held: Held) -> None:
    """Run the stages side by side, each reading what the one before it makes. A failure ends in `held`."""
    source: AsyncGenerator[Any, None] | Link[Any] = once(asked)
    try:
        async with asyncio.TaskGroup() as tasks:
            for stage in stages:
                outbox: Link[Any] | None = None if stage is stages[-1] else Link(stage.inflight)
                name = f"{turn}:{stage.spec.model_stage}"
                tasks.create_task(stage.run(turn, asked, source, outbox, held), name=name)
                if outbox is not None:
                    source = outbox
    except* EngineError as failures:
        held.fail(first(failures))


async def read(turn: Turn, asked: Asked, view: View) -> None:
    """Have the engines read a question that is still growing. A failure only means that nothing was gained."""
    await chain(turn, asked, view.route(asked), Held(0))


async def once(asked: Asked) -> AsyncGenerator[Asked, None]:
    yield asked
