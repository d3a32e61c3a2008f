"""The talker speaks an answer in one request, as its words come, and its engine is told of what was heard once."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipeline.engines.qwen3_omni.talker import OmniTalkerEngine, OmniTalkerSettings
from pipeline.engines.qwen3_omni.thought import HeardStates, ThoughtChunk
from pipeline.errors import EngineError
from pipeline.models.hidden_states.row_pool import RowLayout, RowPool
from pipeline.models.qwen3_omni.config import OmniConfig, read_omni
from pipeline.models.qwen3_omni.extra_args import told
from pipeline.models.qwen3_omni.prompt import HeardPrompt
from pipeline.models.qwen3_tts.extra_args import KEY, Choice
from pipeline.models.qwen3_tts.prompt import VoiceChoice
from pipeline.models.shared.engine_io import PromptChunk, RequestSampling
from pipeline.types.chunks import CodecChunk
from tests.contract.vllm import tiny_omni
from tests.contract.vllm.tiny_omni import IDS
from tests.pipeline.engines.qwen3_tts.fake_requests import FakeRequests

EOS, END = IDS["<tts_text_eod>"], IDS["<|im_end|>"]
LAYOUT = RowLayout(layers=1, width=2, dtype="float32", pages=2, page_rows=2)
STATES = np.arange(6, dtype=np.float32).reshape(3, 2)
HEARD = HeardStates(HeardPrompt((1, -1, -2, -3), (4, 5, 6), ((1, 4),)), STATES.view(np.uint8))


@pytest.fixture
def config(tmp_path: Path) -> OmniConfig:
    (tmp_path / "config.json").write_text(json.dumps(tiny_omni.config()))
    return read_omni(tmp_path)


def talker(config: OmniConfig, requests: FakeRequests, layout: RowLayout = LAYOUT) -> OmniTalkerEngine:
    sampling = RequestSampling(0.9, 50, 1.0, 1.05, (tiny_omni.END_OF_SPEECH,))
    return OmniTalkerEngine(requests, config, OmniTalkerSettings(VoiceChoice("ethan"), sampling, Choice()), layout)


async def answers(*pieces: tuple[int, ...] | None, every_s: float = 0.0) -> AsyncIterator[ThoughtChunk]:
    """The words of an answer after each other; None ends it."""
    begins = True
    for words in pieces:
        await asyncio.sleep(every_s)
        yield ThoughtChunk(words or (), words or (), words is None, HEARD if begins else None)
        begins = words is None


async def spoken(engine: OmniTalkerEngine, thoughts: AsyncIterator[ThoughtChunk]) -> list[CodecChunk]:
    return [chunk async for chunk in engine.generate("r", thoughts)]


def frames(chunks: list[CodecChunk]) -> int:
    return sum(len(chunk.frames) for chunk in chunks)


def words(parts: list[PromptChunk]) -> list[int]:
    """What was told of an answer, behind the beginning of its prompt."""
    return [id_ for part in parts for id_ in part.extra_args[KEY]["text"]][12:]


async def test_an_answer_is_one_request_and_its_end_is_told(config: OmniConfig) -> None:
    requests = FakeRequests(stops=[30])
    chunks = await spoken(talker(config, requests), answers((11, 12, 13), None))
    assert frames(chunks) == 30
    assert [chunk.ends for chunk in chunks] == [False] * 30 + [True]
    assert words(requests.told["r.0"]) == [11, 12, 13, EOS]


async def test_it_begins_with_the_first_word_and_waits_for_the_next(config: OmniConfig) -> None:
    requests = FakeRequests(stops=[20])
    chunks = await spoken(talker(config, requests), answers((11,), (12,), (13,), None, every_s=1.0))
    assert requests.request["r.0"][0] == (1.0, 1)
    assert frames(chunks) == 20
    assert words(requests.told["r.0"]) == [11, 12, 13, EOS]


async def test_what_was_heard_is_told_once_and_its_pages_are_free_with_the_first_frame(config: OmniConfig) -> None:
    requests = FakeRequests(stops=[9])
    engine = talker(config, requests)
    async with aclosing(engine.generate("r", answers((11,), (12,), None))) as chunks:
        await anext(chunks)
        assert engine.rows_held == 0
        async for _ in chunks:
            """To its end."""
    first, *others = requests.told["r.0"]
    heard = told(first.extra_args)
    assert heard and [count for _, _, count in heard.runs] == [2, 1]
    rows = RowPool.attach(heard.pool).rows.view(np.float32)
    assert np.concatenate([rows[page, at : at + count] for page, at, count in heard.runs]).tolist() == STATES.tolist()
    assert others and all(told(part.extra_args) is None for part in others)


async def test_two_answers_are_two_requests_and_one_without_words_is_none(config: OmniConfig) -> None:
    requests = FakeRequests(stops=[3, 4])
    chunks = await spoken(talker(config, requests), answers((11,), None, None, (12,), None))
    assert frames(chunks) == 7
    assert [words(requests.told[name]) for name in ("r.0", "r.2")] == [[11, EOS], [12, EOS]]


async def test_a_voice_that_ends_early_lets_the_rest_of_the_answer_pass(config: OmniConfig) -> None:
    requests = FakeRequests(stops=[1, 5])
    chunks = await spoken(talker(config, requests), answers((11,), (12,), (13,), None, (14,), None, every_s=0.1))
    assert frames(chunks) == 6
    assert words(requests.told["r.1"]) == [14, EOS]


@pytest.mark.parametrize("stop", [40, 1])
async def test_words_are_told_with_the_sound_that_they_begin_and_all_of_them_by_its_end(
    config: OmniConfig, stop: int
) -> None:
    async def told() -> AsyncIterator[ThoughtChunk]:
        for at, text in enumerate(("Yes,", " I", " do", " think", " so.")):
            await asyncio.sleep(1.0)
            yield ThoughtChunk((11 + at,), (11 + at,), False, None if at else HEARD, text)
        yield ThoughtChunk((END,), (), True)

    chunks = await spoken(talker(config, FakeRequests(stops=[stop])), told())
    assert chunks[0].text == "Yes," and len(chunks[0].frames)
    assert "".join(chunk.text for chunk in chunks) == "Yes, I do think so.", "once each"
    assert chunks[-1].ends


async def test_an_answer_is_spoken_in_the_voice_of_its_caller_and_an_unknown_one_fails_it(config: OmniConfig) -> None:
    requests = FakeRequests(stops=[3, 3])
    engine = talker(config, requests)
    assert engine.voices == ("ethan", "chelsie")
    thought = ThoughtChunk((11,), (11,), True, HEARD, voice="chelsie")
    assert frames(await spoken(engine, once(thought))) == 3
    assert tiny_omni.SPEAKERS["chelsie"] in requests.told["r.0"][0].extra_args[KEY]["codec"]
    with pytest.raises(EngineError, match="unknown voice `bob`; this checkpoint has chelsie, ethan"):
        await spoken(engine, once(replace(thought, voice="bob")))


async def once(thought: ThoughtChunk) -> AsyncIterator[ThoughtChunk]:
    yield thought


async def test_an_answer_that_is_given_up_frees_its_pages(config: OmniConfig) -> None:
    requests = FakeRequests(stops=[50])
    engine = talker(config, requests)
    async with aclosing(engine.generate("r", answers((11,), every_s=0.1))) as chunks:
        await anext(chunks)
    assert engine.rows_held == 0


async def test_more_heard_than_there_is_room_for_fails_the_answer(config: OmniConfig) -> None:
    engine = talker(config, FakeRequests(stops=[5]), RowLayout(1, 2, "float32", pages=1, page_rows=2))
    with pytest.raises(EngineError, match="of 3 rows 2 have room"):
        await spoken(engine, answers((11,), None))
    assert engine.rows_held == 0
