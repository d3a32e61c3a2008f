"""The data flow: one turn, from the first sound to the last sample."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from itertools import count
from typing import Any, Protocol

from pipeline.aio.tasks import BackgroundTasks, first
from pipeline.errors import EngineError
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage, StageOutput
from pipeline.turns.stages import joined
from pipeline.turns.stream import Fork
from pipeline.turns.turn_context import TurnContext
from pipeline.types.chunks import TurnId
from pipeline.types.turn_request import ResponseOptions, TurnRequest

MOST_GOING = 2  # attempts that were given up, beside which another one begins


class Routes(Protocol):
    """Knows which stages answer what."""

    def route(self, response_options: ResponseOptions) -> tuple[Stage[Any, Any], ...]:
        """In order; none: such a question is not to be answered."""
        ...


async def run_turn(
    turn: TurnId, contexts: AsyncGenerator[TurnContext, None], routes: Routes, output: SpeculativeOutput
) -> TurnRequest | None:
    """Answer what was said, starting before it is certain that the person has finished.

    Each context replaces the one before it. One that is not settled is prefilled, so that a settled one finds most of
    its prompt in the cache. A settled one starts a speculative answer, which `output` holds back; one that is only
    likely to be settled does, too, beside the pass that confirms it. If a later context asks the same, that answer is
    adopted; if it asks something else, the answer is discarded without trace, and the next one begins while the engines
    let go of it. When the contexts end, the turn is certain and `output` is committed.

    Returns:
        The question that was answered, or None if nothing was asked.
    """
    request: TurnRequest | None = None  # what is being answered
    ahead: TurnRequest | None = None  # what is only being prefilled
    attempt: asyncio.Task[None] | None = None
    attempts = count()
    going: set[asyncio.Task[None]] = set()  # that were given up, and still have to go
    async with aclosing(contexts), BackgroundTasks() as tasks, output:
        async for context in contexts:
            now = context.request
            if now == request and not (context.settled and output.error):
                if context.settled:
                    output.confirm()
                continue
            if now == ahead and not context.is_worth_an_answer:
                continue
            if request:
                output.discard()
            if attempt:
                attempt.cancel()  # what comes now need not wait until its engines have let go of it
                going = {each for each in (*going, attempt) if not each.done()}
                if len(going) > MOST_GOING:
                    await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
            request = ahead = attempt = None
            here = replace(turn, attempt=next(attempts))
            if context.is_worth_an_answer:
                request, answer = now, output.begin(early=not context.settled)
                stages = routes.route(now.response_options)
                attempt = tasks.start(f"{here}:answer", chain, here, now, stages, answer)
            elif context.text:
                ahead = now
                attempt = tasks.start(f"{here}:prefill", prefill, here, now.unfinished(), routes)
        output.commit()
        if attempt:
            await asyncio.wait([attempt])
    return request


async def chain(turn: TurnId, request: TurnRequest, stages: tuple[Stage[Any, Any], ...], output: StageOutput) -> None:
    """Run the stages side by side, each on what those make that it reads. A failure ends in `output`."""
    streams = joined(stages)
    try:
        async with asyncio.TaskGroup() as tasks:
            for stage in stages:
                here, sources = stage.spec.stage_id, stage.spec.input_sources
                inboxes = [streams.get((source, here)) or once(request) for source in sources] or [once(request)]
                outbox = Fork([stream for (source, _), stream in streams.items() if source == here])
                name = f"{turn}:{stage.spec.model_stage}"
                tasks.create_task(stage.run(turn, request, inboxes, outbox, output), name=name)
    except* EngineError as failures:
        output.fail(first(failures))
    except* Exception:
        output.fail(EngineError("turn", "internal error"))
        raise


async def prefill(turn: TurnId, request: TurnRequest, routes: Routes) -> None:
    """Prefill the prompts of a question that is still growing. A failure only means that nothing was gained."""
    await chain(turn, request, routes.route(request.response_options), SpeculativeOutput(0))


async def once(request: TurnRequest) -> AsyncGenerator[TurnRequest, None]:
    yield request
