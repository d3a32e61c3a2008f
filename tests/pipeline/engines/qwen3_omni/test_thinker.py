"""The thinker's answers are handed on with what was heard, and its engine's rows are freed at once."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path

import numpy as np
import pytest

from pipeline.engines.qwen3_omni.thinker import ThinkerEngine
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.errors import EngineError
from pipeline.models.hidden_states.extra_args import asked
from pipeline.models.hidden_states.row_pool import RowLayout, RowPool
from pipeline.models.hidden_states.row_writer import RowPlacer
from pipeline.models.qwen3_omni.config import OmniConfig, read_omni
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling
from tests.contract.vllm import tiny_omni
from tests.contract.vllm.tiny_omni import ASSISTANT, IDS, NEWLINE, USER

BEGIN, END, SOUND = IDS["<|im_start|>"], IDS["<|im_end|>"], IDS["<|audio_pad|>"]
PROMPT = PromptChunk((BEGIN, USER, SOUND, SOUND, 5, SOUND, END, BEGIN, ASSISTANT, NEWLINE), 9)
LAYOUT = RowLayout(layers=2, width=4, dtype="float32", pages=4, page_rows=2)


class FakeThinker:
    """Writes the rows of a prompt as an engine does, each full of its own position, and then tokens."""

    def __init__(self, *outputs: EngineOutput) -> None:
        self.outputs = outputs
        self.answered = 0

    async def answer(
        self, request_id: str, sampling: RequestSampling, part: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        self.answered += 1
        request = asked(part.extra_args)
        assert request
        pool = RowPool.attach(request.pool)
        for run in RowPlacer(pool, request, len(part.token_ids)).places(0, len(part.token_ids)):
            rows = pool.rows.view(np.float32).reshape(-1, 8)
            rows[run.row : run.row + run.count] = np.arange(run.position, run.position + run.count)[:, None]
        for output in self.outputs:
            await asyncio.sleep(0.1)
            yield output

    async def busy(self) -> int:
        return 0

    async def died(self) -> None: ...

    async def aclose(self) -> None: ...


@pytest.fixture
def config(tmp_path: Path) -> OmniConfig:
    (tmp_path / "config.json").write_text(json.dumps(tiny_omni.config()))
    return read_omni(tmp_path)


def thinker(config: OmniConfig, requests: FakeThinker, layout: RowLayout = LAYOUT) -> ThinkerEngine:
    return ThinkerEngine(requests, config, RequestSampling(0.0, 0, 1.0, 1.0, (END,)), layout)


def output(*token_ids: int, ended: bool = False) -> EngineOutput:
    return EngineOutput(token_ids, ((),) * len(token_ids), ended, ended)


async def prompts(*given: PromptChunk) -> AsyncIterator[PromptChunk]:
    for prompt in given:
        yield prompt


async def thought(engine: ThinkerEngine, *given: PromptChunk) -> list[ThoughtChunk]:
    return [chunk async for chunk in engine.generate("r", prompts(*given))]


async def test_what_was_heard_comes_with_the_first_token_and_the_last_is_not_spoken(config: OmniConfig) -> None:
    engine = thinker(config, FakeThinker(output(11), output(12, 13), output(END, ended=True)))
    chunks = await thought(engine, PROMPT)
    assert [chunk.token_ids for chunk in chunks] == [(11,), (12, 13), (END,)]
    assert [chunk.spoken for chunk in chunks] == [(11,), (12, 13), ()]
    assert [chunk.ends for chunk in chunks] == [False, False, True]
    heard = chunks[0].heard
    assert heard and heard.prompt.spans == ((2, 4), (5, 6))
    assert heard.states.view(np.float32)[:, 0].tolist() == [2, 3, 5]
    assert [chunk.heard for chunk in chunks[1:]] == [None, None]


async def test_rows_are_freed_with_the_first_token_not_with_the_last(config: OmniConfig) -> None:
    engine = thinker(config, FakeThinker(output(11), output(END, ended=True)))
    async with aclosing(engine.generate("r", prompts(PROMPT))) as chunks:
        await anext(chunks)
        assert engine.rows_held == 0


async def test_an_answer_that_is_given_up_frees_its_rows(config: OmniConfig) -> None:
    engine = thinker(config, FakeThinker(output(11)))
    async with asyncio.TaskGroup() as group:
        task = group.create_task(thought(engine, PROMPT))
        await asyncio.sleep(0.05)
        assert engine.rows_held == 3
        task.cancel()
    assert engine.rows_held == 0


async def test_each_prompt_is_answered_in_turn(config: OmniConfig) -> None:
    requests = FakeThinker(output(11, END, ended=True))
    chunks = await thought(thinker(config, requests), PROMPT, PROMPT)
    assert requests.answered == 2
    assert [(chunk.spoken, chunk.heard is not None) for chunk in chunks] == [((11,), True)] * 2


async def test_too_much_heard_at_once_fails_the_answer_and_says_why(config: OmniConfig) -> None:
    small = RowLayout(layers=2, width=4, dtype="float32", pages=1, page_rows=2)
    engine = thinker(config, FakeThinker(output(11)), small)
    with pytest.raises(EngineError, match="all pages of the pool were taken"):
        await thought(engine, PROMPT)
    assert engine.rows_held == 0


async def test_a_prompt_that_begins_no_answer_is_refused(config: OmniConfig) -> None:
    with pytest.raises(EngineError, match="does not end by beginning an answer"):
        await thought(thinker(config, FakeThinker()), PromptChunk((1, 2), 9))
