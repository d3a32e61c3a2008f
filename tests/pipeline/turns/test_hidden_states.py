"""Words with hidden states beside them: the words leave, the states reach the talker, and a cancel lets go of all."""

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.fake import FakeEngine, Step
from pipeline.topology.config import StageExecutionType, StagePipelineConfig
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.turn import chain
from pipeline.types.chunks import AudioChunk, HiddenStates, TextChunk, TurnId
from pipeline.types.turn_request import ResponseOptions, TurnRequest

AR = StageExecutionType.LLM_AR
TURN, ASKED = TurnId("s", 1), TurnRequest(response_options=ResponseOptions())


async def passed(inbox: AsyncIterator[Any], request: TurnRequest) -> AsyncGenerator[Any, None]:
    async for each in inbox:
        yield each


THINKER = StagePipelineConfig(
    0, "thinker", AR, (), "latent", "Thinker",
    final_output=True, final_output_type="text", hears=True, custom_process_input_func=passed,
)  # fmt: skip
TALKER = StagePipelineConfig(
    1, "talker", AR, (0,), "audio", "Talker",
    final_output=True, final_output_type="audio", custom_process_input_func=passed,
)  # fmt: skip


class Omni:
    """A thinker that writes ten words a second, each with a row, and a talker that takes its time over each.

    Attributes:
        rows: All that the thinker has made, as long as anybody holds it.
    """

    def __init__(self, talker_s: float) -> None:
        self.rows: list[weakref.ref[NDArray[np.float32]]] = []
        self.heard: list[object] = []
        self._talker_s = talker_s

    def stages(self) -> tuple[Stage[Any, Any], ...]:
        return (
            Stage(THINKER, FakeEngine(lambda prompt: self._think()), passed, 4),
            Stage(TALKER, FakeEngine(self._talk), passed),
        )

    def _think(self) -> Iterator[Step[Any]]:
        for at in range(20):
            row = np.zeros((1, 8), np.float32)
            self.rows.append(weakref.ref(row))
            yield 0.05, TextChunk(f"{at} ")
            yield 0.05, HiddenStates("decode", (at,), {"24": row})
            del row

    def _talk(self, given: object) -> list[Step[AudioChunk]]:
        self.heard.append(type(given))
        return [(self._talker_s, AudioChunk(bytes(480)))]

    @property
    def rows_held(self) -> int:
        gc.collect()
        return sum(row() is not None for row in self.rows)


async def test_words_leave_and_the_talker_is_handed_both() -> None:
    omni, output = Omni(0.0), SpeculativeOutput(60_000)
    async with output:
        await chain(TURN, ASKED, omni.stages(), output)
        output.commit()
    assert "".join([word.text async for word in output.words() if isinstance(word, TextChunk)]).split() == [
        str(at) for at in range(20)
    ]
    assert omni.heard == [TextChunk, HiddenStates] * 20
    assert output.error is None


async def test_what_waits_is_bounded_and_a_cancel_lets_go_of_every_row() -> None:
    omni = Omni(10.0)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(chain(TURN, ASKED, omni.stages(), SpeculativeOutput(60_000)))
        await asyncio.sleep(5)
        assert 0 < omni.rows_held < 6, "of two chunks a word, four wait in the stream"
        running.cancel()
    del running, tasks
    assert omni.rows_held == 0
