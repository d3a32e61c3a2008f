"""Somebody who talks with the chain behind its wire."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.contract.wire_caller import Caller, calling
from tests.contract.wire_media import loud
from tests.served import served


@asynccontextmanager
async def caller() -> AsyncGenerator[Caller, None]:
    async with served() as pipeline, calling(pipeline) as caller:
        await caller.listens(turn_detection=None)
        yield caller


async def speaks(caller: Caller, seconds: float) -> None:
    """By the caller's own ears: to the model of voices a tone is none."""
    await caller.send("input_audio_buffer.activity", speaking=True)
    await caller.sounds(loud(seconds))
