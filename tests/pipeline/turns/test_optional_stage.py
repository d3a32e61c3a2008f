"""A stage that an answer can do without: it fails or hangs, and what is behind it goes on with what there is."""

import asyncio
import logging

import numpy as np
import pytest

from pipeline.engines.fake import FakeEngine
from pipeline.errors import EngineError
from pipeline.media.video_chunk import VideoChunk
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import OPTIONAL_S, Stage
from pipeline.turns.stream import Fork, Stream
from pipeline.turns.turn import once
from pipeline.types.chunks import TurnId
from pipeline.types.history import History, Item
from pipeline.types.observation import Observation, RecognitionPrompt
from pipeline.types.turn_request import TurnRequest
from tests.eyes import CAT, SEES

TURN = TurnId("s", 3)
PICTURE = VideoChunk("p", tuple(np.zeros((1, 32, 32, 3), np.uint8)))
ASKED = TurnRequest(History((Item("q", "user", "What is this?", pictures=(PICTURE,)),)))


def eyes(*script: tuple[float, Observation | EngineError]) -> FakeEngine[RecognitionPrompt, Observation]:
    return FakeEngine(lambda prompt: script)


async def run(engine: FakeEngine[RecognitionPrompt, Observation], output: SpeculativeOutput) -> list[Observation]:
    """What the next stage is handed, until its inbox ends."""
    assert SEES.custom_process_input_func
    outbox = Stream[Observation](8)
    await Stage(SEES, engine, SEES.custom_process_input_func).run(TURN, ASKED, [once(ASKED)], outbox, output)
    return [observation async for observation in outbox]


async def test_what_was_recognised_is_handed_on_and_told() -> None:
    output = SpeculativeOutput(0)
    assert await run(eyes((1.0, CAT)), output) == output.observations == [CAT]
    assert (output.began, output.made, output.ended) == ({"vision": 0.0}, {"vision": 1.0}, {"vision": 1.0})
    output.discard()
    assert output.observations == []


async def test_one_that_fails_ends_and_says_so_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert await run(eyes((0.1, CAT), (0.1, EngineError("vision", "broken"))), SpeculativeOutput(0)) == [CAT]
    (record,) = caplog.records
    assert (record.getMessage(), record.__dict__["stage"], record.__dict__["reason"]) == (
        "a stage failed, and the turn goes on without it",
        "vision",
        "broken",
    )


async def test_one_that_hangs_is_waited_for_no_longer_than_a_moment_and_its_request_is_dropped() -> None:
    engine, output = eyes((60.0, CAT)), SpeculativeOutput(0)
    assert await run(engine, output) == []
    assert asyncio.get_running_loop().time() == OPTIONAL_S == output.ended["vision"]
    assert engine.aborted == ["s.3:vision"] and not engine.running


async def test_a_question_without_pictures_never_reaches_it() -> None:
    engine, words = eyes((0.0, CAT)), TurnRequest(History((Item("q", "user", "Hi."),)))
    assert SEES.custom_process_input_func
    stage = Stage(SEES, engine, SEES.custom_process_input_func)
    await stage.run(TURN, words, [once(words)], Fork([]), SpeculativeOutput(0))
    assert engine.prompts == []
