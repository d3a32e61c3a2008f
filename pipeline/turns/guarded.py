"""What an engine makes for a stage; whatever goes wrong in it is an `EngineError` that names the stage."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from functools import partial
from typing import Any

from pipeline.aio.tasks import first
from pipeline.engines.base import Engine
from pipeline.errors import EngineError
from pipeline.topology.config import StagePipelineConfig
from pipeline.types.chunks import AsrInput, AudioChunk, TextChunk, Transcript
from pipeline.types.function_tools import FunctionCall
from pipeline.types.observation import Observation

log = logging.getLogger(__name__)

MOST_WRITTEN = 200_000  # letters of one answer, hours of speech: whoever writes more has lost its end

_WRITTEN = (TextChunk, FunctionCall)
_MADE: dict[str, tuple[type, ...]] = {"observation": (Observation,), "text": _WRITTEN, "audio": (AudioChunk,)}
_NOT_LATENT = (AudioChunk, Observation, Transcript)


class GuardedRecogniser:
    """`Engine[AsrInput, Transcript]`: a recogniser, which the session asks past the turn's stages."""

    def __init__(self, stage: StagePipelineConfig, engine: Engine[AsrInput, Transcript]) -> None:
        self._stage, self._engine = stage, engine

    def generate(self, request_id: str, prompts: AsyncIterator[AsrInput]) -> AsyncGenerator[Transcript, None]:
        return guarded(self._stage, request_id, partial(self._engine.generate, request_id, prompts))

    async def busy(self) -> int:
        return await self._engine.busy()

    async def aclose(self) -> None:
        await self._engine.aclose()


async def guarded(
    stage: StagePipelineConfig, request_id: str, start: Callable[[], AsyncGenerator[Any, None]]
) -> AsyncGenerator[Any, None]:
    """Passes on what `start` makes. An engine is somebody else's code: it may raise anything, and yield anything.

    Raises:
        EngineError: It could not finish: it raised this or anything else, also to end the process or this task; or it
            made what the stage does not hand on, or text without an end.
    """
    name, written = stage.model_stage, 0
    try:
        async with aclosing(_generator(name, start())) as chunks:
            async for chunk in chunks:
                if fault := _fault(stage, chunk):
                    raise EngineError(name, fault)
                written += 1 + len(chunk.text) if isinstance(chunk, TextChunk) else 0
                if written > MOST_WRITTEN:
                    raise EngineError(name, f"it wrote more than {MOST_WRITTEN:,} letters, and no end was to be seen")
                yield chunk
    except EngineError:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise EngineError(name, "it was given up from within") from error
    except (Exception, SystemExit) as error:
        if isinstance(error, ExceptionGroup) and (told := error.subgroup(EngineError)):
            raise first(told) from error
        log.exception("a stage broke", extra={"request": request_id, "stage": name})
        raise EngineError(name, f"internal error ({type(error).__name__})") from error


def _generator(name: str, made: Any) -> AsyncGenerator[Any, None]:
    """What `generate` has given, if it is what it should be.

    Raises:
        EngineError: It is something else.
    """
    if isinstance(made, AsyncGenerator):
        return made
    if isinstance(made, Coroutine):
        made.close()
    raise EngineError(name, f"its generate gives {type(made).__name__}, not an async generator")


def _fault(stage: StagePipelineConfig, chunk: object) -> str:
    """Why a stage cannot hand that on; empty: it can."""
    made = type(chunk).__name__
    known = (Transcript,) if stage.is_recogniser else _MADE.get(stage.engine_output_type)
    if known is None:
        words = () if stage.final_output_type == "text" else _WRITTEN
        return f"it made {made}, and hands on latents" if isinstance(chunk, (*_NOT_LATENT, *words)) else ""
    if not isinstance(chunk, known):
        return f"it made {made}, not {known[0].__name__}"
    pcm: object = chunk.pcm if isinstance(chunk, AudioChunk) else b""
    if not isinstance(pcm, bytes):
        return f"its sound is {type(pcm).__name__}, not bytes of PCM16"
    return f"its sound has {len(pcm)} bytes, and a sample of PCM16 has 2" if len(pcm) % 2 else ""
