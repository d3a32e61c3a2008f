"""Stands in for vLLM below the Talker: writes a frame every 20 ms, and stops when it is told to."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.prompt_queue import PromptQueue
from pipeline.models.qwen3_tts.extra_args import APART
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling
from pipeline.types.chunks import CODEBOOKS

FRAME_S = 0.02
END = 2_150


@dataclass
class FakeRequests:
    """
    Attributes:
        stops: The frames of each sentence before its end of speech; for sentences beyond, 1,000.
        request: Of each request, when its parts came, and how many frames they were for.
        open: The requests that have begun and not ended.
    """

    stops: list[int] = field(default_factory=list)
    request: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    told: dict[str, list[PromptChunk]] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)

    async def generate(
        self, request_id: str, sampling: RequestSampling, parts: AsyncGenerator[PromptChunk, None]
    ) -> AsyncGenerator[EngineOutput, None]:
        left = self.stops.pop(0) if self.stops else 1_000
        clock = asyncio.get_running_loop().time
        self.open.add(request_id)
        read = PromptQueue(parts, 1)  # in a task of its own, as vLLM does
        try:
            async with aclosing(parts), BackgroundTasks() as tasks:
                tasks.start(f"{request_id}:parts", read.follow)
                while part := await read.take():
                    self.request.setdefault(request_id, []).append((round(clock(), 3), part.max_tokens))
                    self.told.setdefault(request_id, []).append(part)
                    for step in range(part.max_tokens):
                        await asyncio.sleep(FRAME_S)
                        stopped = left == 0
                        code = END if stopped else left
                        yield EngineOutput(
                            (code,),
                            (tuple(code + book * APART for book in range(1, CODEBOOKS + 1)),),
                            stopped or step == part.max_tokens - 1,
                            stopped,
                        )
                        if stopped:
                            return
                        left -= 1
        finally:
            await asyncio.sleep(0.001)  # the fence
            self.open.remove(request_id)

    async def died(self) -> None:
        """Never."""
        await asyncio.Event().wait()

    async def busy(self) -> int:
        return len(self.open)

    async def aclose(self) -> None:
        assert not self.open
