"""Makes sound of codec frames: the speech decoder in a batching process of its own."""

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.child_process import STOP_S, ChildProcess
from pipeline.engines.code2wav.chunk_ramp import ChunkRamp
from pipeline.engines.code2wav.messages import Answer, DecodeRequest, DecoderSettings, DropRequest
from pipeline.engines.vllm.warm_up import NAME, warmed
from pipeline.errors import ConfigError, EngineError
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES, AudioChunk, CodecChunk

log = logging.getLogger(__name__)

STAGE = "code2wav"
OPEN_S = 180.0  # weights, and CUDA graphs
CHILD = (sys.executable, "-m", "pipeline.engines.code2wav.child")
DTYPES = ("float16", "float32", "bfloat16")
LOAD_FORMATS = ("auto", "dummy")
FRAME_BYTES = 2 * FRAME_SAMPLES
SMALL = (1, 2, 4, 8)  # frames of which any tail is made, beside the ramp's own sizes


class Code2WavEngine:
    """`Engine[CodecChunk, AudioChunk]`. Each request has a slot in the process, where the past of its sentence is kept.

    A process that has died takes its requests with it, and serves no more.
    """

    def __init__(self, process: ChildProcess, slots: int, sizes: tuple[int, ...], entries: int, lead: int = 0) -> None:
        self._process = process
        self._lead_bytes = 2 * lead
        self._sizes = sizes
        self._entries = entries
        self._free: asyncio.Queue[int] = asyncio.Queue(slots)
        for slot in range(slots):
            self._free.put_nowait(slot)

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        ramp: ChunkRamp,
        slots: int,
        dtype: str = "float16",
        load_format: str = "auto",
        device: int = 0,
        threads: int = 1,
        child: Sequence[str] = CHILD,
    ) -> Self:
        """Started and warm: it has decoded a chunk of every size.

        Args:
            folder: The checkpoint's: Qwen3-TTS', which holds `speech_tokenizer/`, or Qwen3-Omni's.
            slots: Most requests at once; further ones wait.
            dtype: With `float16` a GPU multiplies such numbers in the convolutions to the wave, and computes all else
                with TF32, which has as many bits and more range; `float32` for all with TF32; or `bfloat16`, which
                is coarser.
            device: Which GPU; where there is none, `threads` of the CPU compute.
            load_format: `dummy` leaves the weights unread, to measure how long things take.

        Raises:
            ConfigError: The checkpoint cannot be loaded.
            EngineError: The process did not start, or could not decode.
        """
        if faults := _faults(dtype, load_format):
            raise ConfigError(STAGE, faults)
        sizes = tuple(sorted({*SMALL, *ramp.sizes}, reverse=True))
        settings = partial(
            DecoderSettings,
            folder=str(folder),
            load_format=load_format,
            dtype=dtype,
            slots=slots,
            sizes=sizes,
            device=device,
            threads=threads,
        )
        process = ChildProcess(STAGE, "decodes speech", Answer)
        ready = await process.start(child, settings, OPEN_S)
        engine = cls(process, slots, sizes, ready.entries, ready.lead)
        log.info("ready to decode speech", extra={"device": ready.device, "graphs": ready.graphs})
        return await warmed(engine, engine._warm)

    async def generate(self, request_id: str, prompts: AsyncIterator[CodecChunk]) -> AsyncGenerator[AudioChunk, None]:
        """Decodes each chunk of codes to sound as it comes, in pieces of the sizes that graphs were captured for.

        Raises:
            EngineError: A code is out of range, or the process has died.
        """
        slot, begins = await self._free.get(), True
        try:
            async for codes in prompts:
                if codes.text and not len(codes.frames):
                    yield AudioChunk(b"", codes.text)
                text = codes.text
                for frames, count in pieces(self._checked(codes.frames), self._sizes, ends=codes.ends):
                    audio = await self._process.ask(
                        partial(DecodeRequest, slot=slot, frames=frames.tobytes(), begins=begins)
                    )
                    meant = slice(self._lead_bytes if begins else 0, count * FRAME_BYTES)
                    yield AudioChunk(audio.pcm[meant], text)
                    begins, text = False, ""
                begins = begins or codes.ends
        finally:
            await self._drop(request_id, slot)

    async def busy(self) -> int:
        return await self._process.busy()

    async def died(self) -> None:
        await self._process.ended()

    async def aclose(self) -> None:
        await self._process.aclose()

    async def _warm(self) -> None:
        async with aclosing(self.generate(NAME, _each(self._sizes))) as sounds:
            async for _ in sounds:
                """Nobody hears it."""

    async def _drop(self, request_id: str, slot: int) -> None:
        """Returns when the process says that it does nothing for the slot. It reads in order, so that whoever gets the
        slot next is not harmed, even if this is not awaited to its end."""
        self._free.put_nowait(slot)
        try:
            async with asyncio.timeout(STOP_S):
                with suppress(EngineError):  # a process that has ended is idle
                    await self._process.ask(partial(DropRequest, slot=slot))
        except TimeoutError:
            log.error("the speech decoder does not stop", extra={"request": request_id})

    def _checked(self, frames: NDArray[np.int16]) -> NDArray[np.int16]:
        if len(frames) and (frames.min() < 0 or frames.max() >= self._entries):
            raise EngineError(STAGE, f"a code is not in 0…{self._entries - 1}")
        return frames


async def _each(sizes: Sequence[int]) -> AsyncGenerator[CodecChunk, None]:
    """A sentence of each size."""
    for size in sizes:
        yield CodecChunk(np.zeros((size, CODEBOOKS), np.int16), ends=True)


def _faults(dtype: str, load_format: str) -> list[str]:
    chosen = (("dtype", dtype, DTYPES), ("load_format", load_format, LOAD_FORMATS))
    return [
        f"`{key}` is {value!r}, not one of {', '.join(known)}" for key, value, known in chosen if value not in known
    ]


def pieces(frames: NDArray[np.int16], sizes: Sequence[int], *, ends: bool) -> Iterator[tuple[NDArray[np.int16], int]]:
    """The frames in chunks of those sizes, of which one is 1: only these have CUDA graphs.

    Args:
        sizes: The largest first.
        ends: Nothing follows for which the past must be right: the last chunk may be filled up.

    Yields:
        A chunk, and how many of its frames are meant.
    """
    while left := len(frames):
        if ends and left <= sizes[0]:
            size = min(size for size in sizes if size >= left)
            yield np.pad(frames, ((0, size - left), (0, 0))), left
            return
        size = next(size for size in sizes if size <= left)
        yield frames[:size], size
        frames = frames[size:]
