"""One stage of one turn: prompts in, chunks out."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from pipeline.engines.base import Engine
from pipeline.errors import EngineError
from pipeline.topology.config import StagePipelineConfig
from pipeline.turns.function_calls import with_function_calls
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stream import Stream
from pipeline.types.chunks import CodecChunk, TextChunk, TurnId
from pipeline.types.function_tools import FunctionCall
from pipeline.types.turn_request import TurnRequest

log = logging.getLogger(__name__)

OPTIONAL_S = 5.0  # that a turn waits for what it can do without

A_contra = TypeVar("A_contra", contravariant=True)
P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)
C = TypeVar("C")
Chunks = AsyncGenerator[Any, None]


class InputProcessor(Protocol[A_contra, P_co]):
    """Makes an engine's prompts of what the stage before hands on. Pure: no clock, no task, no I/O."""

    def __call__(self, inbox: AsyncIterator[A_contra], request: TurnRequest) -> AsyncGenerator[P_co, None]: ...


@dataclass(frozen=True, slots=True)
class Stage(Generic[P, C]):
    """A stage as it stands ready to serve turns: its place in the topology, and its engine.

    Attributes:
        inflight: Most chunks that may wait between it and the next stage.
    """

    spec: StagePipelineConfig
    engine: Engine[P, C]
    process: InputProcessor[Any, P]
    inflight: int = 1

    async def run(
        self,
        turn: TurnId,
        request: TurnRequest,
        inbox: AsyncGenerator[Any, None] | Stream[Any],
        outbox: Stream[C] | None,
        output: SpeculativeOutput,
    ) -> None:
        """Serve one turn, until the inbox ends or the engine does. One that is optional ends early where it fails.

        Raises:
            EngineError: The engine failed, and the turn cannot do without it.
        """
        prompts = self._noted(self.process(inbox, request), output)
        chunks = self._chunks(f"{turn}:{self.spec.model_stage}", prompts, request)
        try:
            async with outbox or nullcontext(), aclosing(inbox), aclosing(prompts), aclosing(chunks):
                if self.spec.is_optional:
                    await self._try_to_hand_on(turn, chunks, outbox, output)
                else:
                    await self._hand_on(chunks, outbox, output)
        finally:
            output.stage_ended(self.spec.model_stage)

    def _chunks(self, request_id: str, prompts: AsyncGenerator[Any, None], request: TurnRequest) -> Chunks:
        """What the engine makes; of a model that writes and is offered functions, calls are told from words."""
        options, is_written = request.response_options.tools, request.response_options.say is None
        if self.spec.final_output_type == "text" and options.tools and is_written:
            if request.response_options.unasked:  # nobody has asked for anything to be done
                options = replace(options, mode="none", named="")
            return with_function_calls(self.engine, request_id, prompts, options, self.spec.model_stage)
        return self.engine.generate(request_id, prompts)

    async def _hand_on(
        self, chunks: AsyncGenerator[C, None], outbox: Stream[C] | None, output: SpeculativeOutput
    ) -> None:
        async for chunk in chunks:
            if self.spec.final_output:
                await output.send(chunk)
            if self.spec.final_output_type not in ("text", "audio") and not _is_empty(chunk):
                output.stage_made(self.spec.model_stage)
            if outbox is not None:
                handed: Any = TextChunk("", ends=True) if isinstance(chunk, FunctionCall) else chunk
                await outbox.send(handed)  # a call is not spoken, but words behind it are not those before it

    async def _try_to_hand_on(
        self, turn: TurnId, chunks: AsyncGenerator[C, None], outbox: Stream[C] | None, output: SpeculativeOutput
    ) -> None:
        """Hand on what the engine makes in time; that it fails is only logged."""
        try:
            async with asyncio.timeout(OPTIONAL_S):
                await self._hand_on(chunks, outbox, output)
        except (EngineError, TimeoutError) as error:
            reason = error.reason if isinstance(error, EngineError) else f"it took more than {OPTIONAL_S:g} s"
            told = {"turn": str(turn), "stage": self.spec.model_stage, "reason": reason}
            log.warning("a stage failed, and the turn goes on without it", extra=told)

    async def _noted(self, prompts: AsyncGenerator[P, None], output: SpeculativeOutput) -> AsyncGenerator[P, None]:
        """Passes the prompts on, and notes in `output` when the first one came."""
        async with aclosing(prompts):
            async for prompt in prompts:
                output.stage_began(self.spec.model_stage)
                yield prompt


def _is_empty(chunk: object) -> bool:
    """Only text, or the end of a sentence: nothing to be decoded."""
    return isinstance(chunk, CodecChunk) and not len(chunk.frames)
