"""One turn that nobody hears, through every stage, so that the first caller waits no longer than the second."""

import math
from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np

from pipeline.media.video_chunk import second
from pipeline.turns.speculative_output import Held
from pipeline.turns.stages import Stages
from pipeline.turns.turn import chain
from pipeline.types.chunks import SPEECH_RATE, Turn, Window
from pipeline.types.history import History, Item
from pipeline.types.turn_request import Asked, Wants

NAME = "warm-up"
SOUND = np.random.default_rng(0).normal(0, 0.1, 2 * SPEECH_RATE).astype(np.float32)
FRAME = np.full((480, 640, 3), 128, np.uint8)
QUESTION = "What do you see?"
SAID = "Hello. I am ready."


async def warm_up(stages: Stages) -> None:
    """
    Raises:
        EngineError: A stage failed.
    """
    async with aclosing(stages.recogniser.generate(f"{NAME}:asr", _window())) as transcripts:
        async for _ in transcripts:
            """What noise sounds like is of no interest."""
    history = History().with_item(Item(NAME, "user", QUESTION))
    if stages.sees:
        history = History().with_round(second(NAME, FRAME, None)).with_item(Item(NAME, "user", QUESTION))
    await _answered(stages, 0, Asked(history, Wants(modality="text", cache_salt=NAME)))
    await _answered(stages, 1, Asked(wants=Wants(say=SAID, cache_salt=NAME)))


async def _window() -> AsyncGenerator[Window, None]:
    yield Window(SOUND, None, True)


async def _answered(stages: Stages, epoch: int, asked: Asked) -> None:
    held = Held(math.inf)
    async with held:
        await chain(Turn(NAME, epoch), asked, stages.route(asked.wants), held)
    if held.error:
        raise held.error
