"""One turn that nobody hears, through every stage, so that the first caller waits no longer than the second."""

import math
from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np

from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import second
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import chain
from pipeline.types.chunks import AsrInput, TurnId
from pipeline.types.history import History, Item
from pipeline.types.turn_request import ResponseOptions, TurnRequest

NAME = "warm-up"
SOUND = np.random.default_rng(0).normal(0, 0.1, 2 * SPEECH_RATE).astype(np.float32)
FRAME = np.full((480, 640, 3), 128, np.uint8)
QUESTION = "What do you see?"
SAID = "Hello. I am ready."


async def warm_up(stages: PipelineStages) -> None:
    """Sends every stage a first request, so that no caller pays for what is compiled or loaded late.

    Raises:
        EngineError: A stage failed.
    """
    if stages.recogniser:
        async with aclosing(stages.recogniser.generate(f"{NAME}:asr", _window())) as transcripts:
            async for _ in transcripts:
                """What noise sounds like is of no interest."""
    sound = SpokenSound(NAME, len(SOUND), SOUND) if stages.hears else None
    history = History().with_video_turn(second(NAME, FRAME, None)) if stages.sees else History()
    history = history.with_item(Item(NAME, "user", "" if stages.answers_sound else QUESTION, sound=sound))
    await _answered(stages, 0, TurnRequest(history, ResponseOptions(modality="text", cache_salt=NAME)))
    await _answered(stages, 1, TurnRequest(response_options=ResponseOptions(say=SAID, cache_salt=NAME)))


async def _window() -> AsyncGenerator[AsrInput, None]:
    yield AsrInput(SOUND, None, True)


async def _answered(stages: PipelineStages, epoch: int, request: TurnRequest) -> None:
    output = SpeculativeOutput(math.inf)
    async with output:
        await chain(TurnId(NAME, epoch), request, stages.route(request.response_options), output)
    if output.error:
        raise output.error
