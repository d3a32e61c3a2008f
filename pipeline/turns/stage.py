"""One stage of one turn: prompts in, chunks out."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pipeline.engines.base import Engine
from pipeline.errors import EngineError
from pipeline.topology.config import StagePipelineConfig
from pipeline.turns.function_calls import with_function_calls
from pipeline.turns.guarded import guarded
from pipeline.turns.stream import Fork, Stream
from pipeline.types.chunks import CodecChunk, TextChunk, TurnId
from pipeline.types.function_tools import FunctionCall
from pipeline.types.turn_request import TurnRequest

log = logging.getLogger(__name__)

OPTIONAL_S = 5.0  # that a turn waits for what it can do without

P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)
C = TypeVar("C")
Chunks = AsyncGenerator[Any, None]


class InputProcessor(Protocol[P_co]):
    """Makes an engine's prompts of what is handed on. Pure: no clock, no task, no I/O.

    Called with an inbox for each of the stage's input sources, in their order, and the request: what is asked, with its
    own sound and pictures. A stage that is asked by the session finds the question in its inbox.
    """

    def __call__(self, *inboxes_and_request: Any) -> AsyncGenerator[P_co, None]: ...


class StageOutput(Protocol):
    """Takes what the stages of a chain make: `SpeculativeOutput`, or one attempt's way to it."""

    def stage_began(self, stage: str) -> None: ...

    def stage_made(self, stage: str) -> None: ...

    def stage_ended(self, stage: str) -> None: ...

    async def send(self, chunk: object) -> None: ...

    def fail(self, error: EngineError) -> None: ...


@dataclass(frozen=True, slots=True)
class Stage(Generic[P, C]):
    """A stage as it stands ready to serve turns: its place in the topology, and its engine.

    Attributes:
        inflight: Most chunks that may wait for each stage that reads it.
    """

    spec: StagePipelineConfig
    engine: Engine[P, C]
    process: InputProcessor[P]
    inflight: int = 1

    @property
    def recites(self) -> bool:
        """A text that is to be spoken as it is can stand in the place of what it writes: that is all it makes."""
        return self.spec.engine_output_type == "text"

    async def run(
        self,
        turn: TurnId,
        request: TurnRequest,
        inboxes: Sequence[AsyncGenerator[Any, None] | Stream[Any]],
        outbox: Stream[C] | Fork[C],
        output: StageOutput,
    ) -> None:
        """Serve one turn, until the inboxes end or the engine does. One that is optional ends early where it fails.

        Raises:
            EngineError: The engine or what makes its prompts failed, and the turn cannot do without it.
        """
        request_id = f"{turn}:{self.spec.model_stage}"
        prompts = self._noted(partial(self.process, *inboxes, request), output)
        chunks = guarded(self.spec, request_id, partial(self._chunks, request_id, prompts, request))
        try:
            async with outbox, AsyncExitStack() as closing:
                for each in (*inboxes, prompts, chunks):
                    await closing.enter_async_context(aclosing(each))
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

    async def _hand_on(self, chunks: AsyncGenerator[C, None], outbox: Stream[C] | Fork[C], output: StageOutput) -> None:
        async for chunk in chunks:
            if self.spec.final_output and (
                self.spec.engine_output_type != "latent" or isinstance(chunk, TextChunk | FunctionCall)
            ):
                await output.send(chunk)
            if self.spec.final_output_type not in ("text", "audio") and not _is_empty(chunk):
                output.stage_made(self.spec.model_stage)
            handed: Any = TextChunk("", ends=True) if isinstance(chunk, FunctionCall) else chunk
            await outbox.send(handed)  # a call is not spoken, but words behind it are not those before it

    async def _try_to_hand_on(
        self, turn: TurnId, chunks: AsyncGenerator[C, None], outbox: Stream[C] | Fork[C], output: StageOutput
    ) -> None:
        """Hand on what the engine makes in time; that it fails is only logged."""
        try:
            async with asyncio.timeout(OPTIONAL_S):
                await self._hand_on(chunks, outbox, output)
        except (EngineError, TimeoutError) as error:
            reason = error.reason if isinstance(error, EngineError) else f"it took more than {OPTIONAL_S:g} s"
            told = {"turn": str(turn), "stage": self.spec.model_stage, "reason": reason}
            log.warning("a stage failed, and the turn goes on without it", extra=told)

    async def _noted(
        self, process: Callable[[], AsyncGenerator[P, None]], output: StageOutput
    ) -> AsyncGenerator[P, None]:
        """Passes the prompts on, and notes in `output` when the first one came.

        Raises:
            EngineError: What makes them failed, and is named.
        """
        name = self.spec.model_stage
        try:
            async with aclosing(process()) as prompts:
                async for prompt in prompts:
                    output.stage_began(name)
                    yield prompt
        except EngineError:
            raise
        except (Exception, SystemExit) as error:
            log.exception("a processor broke", extra={"stage": name, "processor": processor_name(self.process)})
            reason = f"its processor {processor_name(self.process)} failed ({type(error).__name__})"
            raise EngineError(name, reason) from error


def processor_name(process: Callable[..., Any]) -> str:
    """The name of what a topology has given, within what the edges have put around it."""
    while isinstance(process, partial):
        process = next((each for each in process.args if callable(each)), process.func)
    return str(getattr(process, "__name__", type(process).__name__))


def _is_empty(chunk: object) -> bool:
    """Only text, or the end of a sentence: nothing to be decoded."""
    return isinstance(chunk, CodecChunk) and not len(chunk.frames)
