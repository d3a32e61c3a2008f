"""One stage of one turn: prompts in, chunks out."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pipeline.engines.base import Engine
from pipeline.topology.config import StagePipelineConfig
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stream import Stream
from pipeline.types.chunks import CodecChunk, TurnId
from pipeline.types.turn_request import TurnRequest

A_contra = TypeVar("A_contra", contravariant=True)
P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)
C = TypeVar("C")


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
        """Serve one turn, until the inbox ends or the engine does.

        Raises:
            EngineError: The engine failed.
        """
        prompts = self._noted(self.process(inbox, request), output)
        chunks = self.engine.generate(f"{turn}:{self.spec.model_stage}", prompts)
        try:
            async with outbox or nullcontext(), aclosing(inbox), aclosing(prompts), aclosing(chunks):
                async for chunk in chunks:
                    if self.spec.final_output:
                        await output.send(chunk)
                    elif not _is_empty(chunk):
                        output.stage_made(self.spec.model_stage)
                    if outbox is not None:
                        await outbox.send(chunk)
        finally:
            output.stage_ended(self.spec.model_stage)

    async def _noted(self, prompts: AsyncGenerator[P, None], output: SpeculativeOutput) -> AsyncGenerator[P, None]:
        """Passes the prompts on, and notes in `output` when the first one came."""
        async with aclosing(prompts):
            async for prompt in prompts:
                output.stage_began(self.spec.model_stage)
                yield prompt


def _is_empty(chunk: object) -> bool:
    """Only text, or the end of a sentence: nothing to be decoded."""
    return isinstance(chunk, CodecChunk) and not len(chunk.frames)
