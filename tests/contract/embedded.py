"""What the tests of the embedded engines share: prompts, sound, and how free the event loop is. Times are real."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import soxr
from numpy.typing import NDArray

from pipeline.deployment.loading import read_deployment
from pipeline.engines.base import Engine
from pipeline.media.sample_rates import SPEECH_RATE, VOICE_RATE
from pipeline.runtime.profiles import EMBEDDED, PROFILES
from pipeline.types.chunks import AsrInput, AudioChunk, Clause

P = TypeVar("P")
C = TypeVar("C")

# Of the language model: beside other lanes of tests two would wait for each other most of the time.
ONE_THREAD: dict[str, Any] = {"threads": 1, "prompt_threads": 1}
SESSIONS = 2  # as the stack of the end-to-end tests has: what is read at the start is kept for the next start like it
MODULE_BACKEND = ("asyncio", dict[str, Any]())  # one loop for a module, so that its engines are opened once


def for_one_caller(models_dir: Path) -> dict[str, Any]:
    """What the profile's language model is told that is to answer one, whom it does not know.

    It reads no more than the preamble, and not even that where one for `SESSIONS` has been opened.
    """
    embedded = PROFILES[EMBEDDED]
    deployment = read_deployment(embedded.deployment, embedded.topology, embedded.engine_keys(models_dir))
    (stage_id,) = (spec.stage_id for spec in embedded.topology.stages if spec.model_stage == "aura")
    context = SESSIONS * deployment.stage(stage_id).engine_args["context"]
    return {"instructions": (), "tools": (), "context": context, **ONE_THREAD}


async def once(*prompts: P) -> AsyncIterator[P]:
    for prompt in prompts:
        yield prompt


async def all_of(engine: Engine[P, C], *prompts: P) -> list[C]:
    return [chunk async for chunk in engine.generate("test", once(*prompts))]


def window(pcm: bytes, language: str | None = None) -> AsrInput:
    """PCM16 of a voice → what a recogniser is given, half a second of silence around it."""
    sound: NDArray[np.float32] = np.frombuffer(pcm, "<i2").astype(np.float32) / np.float32(32_768)
    silence = np.zeros(SPEECH_RATE // 2, np.float32)
    heard = np.asarray(soxr.resample(sound, VOICE_RATE, SPEECH_RATE), np.float32)
    return AsrInput(np.concatenate([silence, heard, silence]), language, True)


async def spoken(voice: Engine[Clause, AudioChunk], text: str) -> bytes:
    return b"".join(audio.pcm for audio in await all_of(voice, Clause(text, "")))


def words(text: str) -> str:
    """Lower case, without punctuation."""
    kept = (character if character.isalnum() or character.isspace() else "" for character in text.lower())
    return " ".join("".join(kept).split())


async def seconds_to_close(engine: Engine[P, C], prompt: P, after_s: float) -> float:
    """How long a request takes to stop that is cancelled after `after_s`. The engine must be idle then."""
    clock = asyncio.get_running_loop().time

    async def take_all() -> None:
        async with aclosing(engine.generate("test", once(prompt))) as chunks:
            async for _ in chunks:
                pass

    async with asyncio.TaskGroup() as tasks:
        request = tasks.create_task(take_all())
        await asyncio.sleep(after_s)
        assert not request.done(), "it must be at work when it is cancelled"
        began = clock()
        request.cancel()
        await asyncio.wait([request])
        return clock() - began


TICK_S = 0.005


async def ticks_a_second(engine: Engine[P, C], prompt: P) -> float:
    """How often the loop gets to do something else while a prompt is served, of at most 200 times a second.

    The best of three times, as other processes want the cores too.
    """
    return max([await _ticks_a_second(engine, prompt) for _ in range(3)])


async def _ticks_a_second(engine: Engine[P, C], prompt: P) -> float:
    ticks, clock = 0, asyncio.get_running_loop().time

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(TICK_S)
            ticks += 1

    async with asyncio.TaskGroup() as tasks:
        ticking = tasks.create_task(tick(), name="tick")
        began = clock()
        await all_of(engine, prompt)
        seconds = clock() - began
        ticking.cancel()
    return ticks / seconds
