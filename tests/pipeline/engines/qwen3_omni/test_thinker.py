"""The thinker answers in words and in thoughts, with what was heard, and its engine's rows are freed at once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path

import numpy as np
import pytest

from pipeline.engines.qwen3_omni.prompt import OmniPrompt
from pipeline.engines.qwen3_omni.thinker import ThinkerEngine, ThinkerEngineSettings
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.engines.qwen3_omni.writing import Piece
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.errors import EngineError
from pipeline.media.spoken_sound import SpokenSound
from pipeline.media.video_chunk import VideoChunk
from pipeline.models.hidden_states.extra_args import asked
from pipeline.models.hidden_states.row_pool import RowLayout, RowPool
from pipeline.models.hidden_states.row_writer import RowPlacer
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling
from pipeline.models.shared.positions import Grid
from pipeline.types.chunks import Priority, TextChunk, TokenUsage
from tests.contract.vllm.tiny_omni import IDS
from tests.pipeline.engines.qwen3_omni.omni_bytes import omni_text, read_config

END = IDS["<|im_end|>"]
ASKED = ("<|im_start|>user\n<|audio_start|>", SpokenSound("i", 4_000, np.zeros(4_000, np.float32)), "<|audio_end|>")
PROMPT = OmniPrompt((*ASKED, "<|im_end|>\n<|im_start|>assistant\n"), "s", 9)
PICTURE = VideoChunk("p", tuple(np.zeros((1, 64, 96, 3), np.uint8)))
SECOND_TOKENS = 7  # of half a second of sound, the least that is encoded
LAYOUT = RowLayout(layers=2, width=4, dtype="float32", pages=8, page_rows=2)


class FakeThinker:
    """Writes the rows of a prompt as an engine does, each full of its own position, and then tokens."""

    def __init__(self, *outputs: EngineOutput) -> None:
        self.outputs = outputs
        self.asked: list[tuple[PromptChunk, int]] = []
        self.closed = 0

    async def answer(
        self, request_id: str, sampling: RequestSampling, part: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        self.asked.append((part, priority))
        if request := asked(part.extra_args):
            pool = RowPool.attach(request.pool)
            for run in RowPlacer(pool, request, len(part.token_ids)).places(0, len(part.token_ids)):
                rows = pool.rows.view(np.float32).reshape(-1, 8)
                rows[run.row : run.row + run.count] = np.arange(run.position, run.position + run.count)[:, None]
        try:
            for output in self.outputs:
                await asyncio.sleep(0.1)
                yield output
        finally:
            self.closed += 1

    async def busy(self) -> int:
        return 0

    async def died(self) -> None: ...

    async def aclose(self) -> None: ...


@pytest.fixture
def config(tmp_path: Path) -> OmniConfig:
    return read_config(tmp_path)


def thinker(config: OmniConfig, requests: FakeThinker, layout: RowLayout = LAYOUT, most: int = 99) -> ThinkerEngine:
    return ThinkerEngine(requests, config, omni_text(config), ThinkerEngineSettings(SamplingDefaults(), most), layout)


def output(text: str, *, stop: bool = False) -> EngineOutput:
    ids = (*text.encode(), *[END] * stop)
    return EngineOutput(ids, ((),) * len(ids), stop, stop, prompt_tokens=20, cached_tokens=5)


async def prompts(*given: OmniPrompt) -> AsyncIterator[OmniPrompt]:
    for prompt in given:
        yield prompt


async def pieces(engine: ThinkerEngine, *given: OmniPrompt) -> list[Piece]:
    return [piece async for piece in engine.generate("r", prompts(*given))]


def thoughts(found: list[Piece]) -> list[ThoughtChunk]:
    return [each for each in found if isinstance(each, ThoughtChunk)]


def said(found: list[Piece]) -> list[str]:
    return [each.text for each in found if isinstance(each, TextChunk)]


async def test_words_leave_for_people_and_tokens_for_the_talker_with_what_was_heard_in_front(
    config: OmniConfig,
) -> None:
    engine = thinker(config, FakeThinker(output("Yes"), output(", I do."), output("", stop=True)))
    found = await pieces(engine, PROMPT)
    assert said(found) == ["Yes", ", I do.", ""]
    first, second, last = thoughts(found)
    assert (first.text, first.token_ids, first.spoken) == ("Yes", tuple(b"Yes"), tuple(b"Yes"))
    assert (last.token_ids, last.spoken, last.ends) == ((END,), (), True)
    assert first.heard and first.heard.prompt.spans == ((4, 4 + SECOND_TOKENS),)
    assert first.heard.states.view(np.float32)[:, 0].tolist() == [*range(4, 4 + SECOND_TOKENS)]
    assert second.heard is last.heard is None
    end = found[-1]
    assert isinstance(end, TextChunk) and (end.finish_reason, end.usage) == (
        "stop",
        TokenUsage(20, 0, 5, 11),
    )


async def test_silence_is_held_back_and_ends_the_request(config: OmniConfig) -> None:
    requests = FakeThinker(output(" <|si"), output("lent|"), output("> and more"), output("more"))
    found = await pieces(thinker(config, requests), PROMPT)
    assert (said(found), thoughts(found), requests.closed) == ([""], [], 1)


async def test_what_only_begins_like_silence_is_spoken_whole(config: OmniConfig) -> None:
    found = await pieces(thinker(config, FakeThinker(output("\n<|si"), output("gh|>", stop=True))), PROMPT)
    assert "".join(said(found)) == "<|sigh|>"
    assert [each.spoken for each in thoughts(found)] == [tuple(b"\n<|si"), tuple(b"gh|>")]


async def test_a_given_text_is_spoken_as_it_is_and_asks_no_engine(config: OmniConfig) -> None:
    requests = FakeThinker()
    found = await pieces(thinker(config, requests), OmniPrompt((), "s", say="I am <|im_end|> here."))
    (thought,) = thoughts(found)
    assert said(found) == [thought.text] == ["I am <|im_end|> here."]
    assert thought.ends and bytes(thought.spoken) == b"I am < |im_end|> here.", "no mark has power over the voice"
    assert thought.heard and thought.heard.prompt.role == omni_text(config).role and not len(thought.heard.states)
    assert requests.asked == []


async def test_what_is_only_prefilled_yields_nothing_asks_for_no_rows_and_lets_others_go_first(
    config: OmniConfig,
) -> None:
    requests = FakeThinker(output("a"))
    engine = thinker(config, requests)
    assert await pieces(engine, OmniPrompt(ASKED[:2], "s", 0, priority=Priority.PREFILL)) == []
    assert await pieces(engine, OmniPrompt(ASKED[:2], "s", 0, priority=Priority.PRUNED)) == []
    assert (await pieces(engine, PROMPT)) != []
    assert [(part.max_tokens, bool(part.extra_args), priority) for part, priority in requests.asked] == [
        (1, False, Priority.PREFILL),
        (1, False, Priority.PRUNED),
        (9, True, Priority.QUESTION),
    ]


async def test_what_is_seen_is_an_item_with_its_grid_which_the_talker_is_told(config: OmniConfig) -> None:
    requests = FakeThinker(output("a", stop=True))
    shown = (
        "<|im_start|>user\n",
        "<|vision_start|>",
        PICTURE,
        "<|vision_end|>",
        "?<|im_end|>\n<|im_start|>assistant\n",
    )
    (thought, *_) = thoughts(await pieces(thinker(config, requests), OmniPrompt(shown, "s")))
    (item,) = requests.asked[0][0].media
    assert (item.kind, item.name, item.at, item.tokens, item.grid) == ("image", "s/p", 4, 6, (2, 3))
    assert thought.heard and thought.heard.prompt.grids == (Grid(4, 2, 3),)
    assert len(thought.heard.states) == 6


async def test_rows_are_freed_with_the_first_token_not_with_the_last(config: OmniConfig) -> None:
    engine = thinker(config, FakeThinker(output("a"), output("", stop=True)))
    async with aclosing(engine.generate("r", prompts(PROMPT))) as chunks:
        await anext(chunks)
        assert engine.rows_held == 0


async def test_an_answer_that_is_given_up_frees_its_rows(config: OmniConfig) -> None:
    requests = FakeThinker(output("a"))
    engine = thinker(config, requests)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(pieces(engine, PROMPT))
        await asyncio.sleep(0.05)
        assert engine.rows_held == SECOND_TOKENS
        task.cancel()
    assert (engine.rows_held, requests.closed) == (0, 1)


async def test_too_much_heard_at_once_fails_the_answer_and_says_why(config: OmniConfig) -> None:
    small = RowLayout(layers=2, width=4, dtype="float32", pages=1, page_rows=2)
    engine = thinker(config, FakeThinker(output("a")), small)
    with pytest.raises(EngineError, match="all pages of the pool were taken"):
        await pieces(engine, PROMPT)
    assert engine.rows_held == 0


async def test_a_prompt_that_is_too_long_or_begins_no_answer_is_refused(config: OmniConfig) -> None:
    with pytest.raises(EngineError, match="does not end by beginning an answer"):
        await pieces(thinker(config, FakeThinker()), OmniPrompt(("hello",), "s"))
    with pytest.raises(EngineError, match="the prompt has 17 tokens, and at most 9 are read"):
        await pieces(thinker(config, FakeThinker(), most=9), PROMPT)
