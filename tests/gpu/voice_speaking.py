"""Speaks through the Talker's engine with weights that say nothing, and notes when which frame was heard."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from pipeline.engines.qwen3_tts.engine import STAGE, TalkerEngine
from pipeline.engines.qwen3_tts.setup import open_talker
from pipeline.engines.vllm.engine import VllmEngine
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling, StreamingPromptEngine
from pipeline.types.chunks import CODEBOOKS, Clause, CodecChunk
from tests.gpu.noting import Noting
from tests.gpu.voice_model import NAME

SILENCE = ((0,) * CODEBOOKS,)
WORDS = ("the", " and", " of", " you", " is")  # each an id of its own, but the first


@dataclass(frozen=True, slots=True)
class Heard:
    """When a text was given, and when each of its frames came; seconds of the loop's clock."""

    request: float
    at: tuple[float, ...]

    @property
    def first_ms(self) -> float:
        return 1000 * (self.at[0] - self.request)

    @property
    def frame_ms(self) -> float:
        """From the first frame to the last."""
        return 1000 * (self.at[-1] - self.at[0]) / (len(self.at) - 1)


class Lasting:
    """Requests that end after so many frames: dummy weights find no end, or find it anywhere."""

    def __init__(self, requests: StreamingPromptEngine, frames: int) -> None:
        self._requests = requests
        self._frames = frames

    async def generate(
        self, request_id: str, sampling: RequestSampling, parts: AsyncGenerator[PromptChunk, None]
    ) -> AsyncGenerator[EngineOutput, None]:
        made = 0
        async with aclosing(self._requests.generate(request_id, sampling, self._bounded(parts))) as pieces:
            async for written in pieces:
                made += len(written.token_ids)
                yield written
                if made >= self._frames:
                    break
        yield EngineOutput(sampling.stop_token_ids[:1], SILENCE, True, True)

    async def busy(self) -> int:
        return await self._requests.busy()

    async def died(self) -> None:
        await self._requests.died()

    async def aclose(self) -> None:
        await self._requests.aclose()

    async def _bounded(self, parts: AsyncGenerator[PromptChunk, None]) -> AsyncGenerator[PromptChunk, None]:
        left = self._frames
        async with aclosing(parts):
            async for part in parts:
                frames = min(part.max_tokens, left)
                left -= frames
                yield replace(part, max_tokens=frames, min_tokens=frames)
                if not left:
                    await asyncio.Event().wait()  # as it does while the end of speech is on its way


class Voice:
    """A Talker's engine that says any number of frames."""

    def __init__(self, opened: TalkerEngine) -> None:
        assert isinstance(opened._requests, VllmEngine)
        self._opened = opened
        self.noting = Noting(opened._requests._llm, asyncio.get_running_loop().time)
        self._requests = VllmEngine(self.noting, STAGE)  # type: ignore[arg-type]
        self._names = 0

    @staticmethod
    async def open(models_dir: Path, sessions: int, **engine_args: Any) -> "Voice":
        opened = await open_talker(models_dir, model=NAME, max_sessions=sessions, load_format="dummy", **engine_args)
        return Voice(opened)

    def speak(self, text: AsyncIterator[Clause], frames: int, name: str = "") -> AsyncGenerator[CodecChunk, None]:
        self._names += 1
        talker = TalkerEngine(Lasting(self._requests, frames), self._opened._writer, self._opened._engine_settings)
        return talker.generate(name or f"request-{self._names}", text)

    async def hear(self, frames: int, *, words: int = 12, clause_words: int = 0, name: str = "") -> Heard:
        loop = asyncio.get_running_loop()
        request, at = loop.time(), list[float]()
        async with aclosing(self.speak(clauses(words, clause_words or words), frames, name)) as chunks:
            async for codes in chunks:
                at += [loop.time()] * len(codes.frames)
        assert len(at) == frames, f"{len(at)} frames, not {frames}"
        return Heard(request, tuple(at))

    async def aclose(self) -> None:
        await self._opened.aclose()


async def clauses(words: int, clause_words: int) -> AsyncIterator[Clause]:
    """A sentence of so many words, so many at a time, which come as fast as they are read."""
    said = [WORDS[0], *(WORDS[1 + i % (len(WORDS) - 1)] for i in range(words - 1))]
    for at in range(0, words, clause_words):
        yield Clause("".join(said[at : at + clause_words]) + "." * (at + clause_words >= words), "vivian")


def spread(values: list[float], what: str = "ms") -> dict[str, float]:
    """The median, and the 95th percentile."""
    ordered = sorted(values)
    return {f"{what}_p50": median(ordered), f"{what}_p95": ordered[int(0.95 * (len(ordered) - 1) + 0.5)]}
