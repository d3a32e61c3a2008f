"""A draft changes when an answer comes, never the answer; and a request whose draft was wrong is dropped."""

import asyncio
import random
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import pytest

from pipeline.engines.qwen3_asr.speculative_decode import drafted, usable, verified
from pipeline.errors import EngineError
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, RequestSampling
from pipeline.types.chunks import DraftOutcome
from tests.tidy import nothing_left

LIKELIEST = RequestSampling(0.0, 0, 1.0, 1.0, (0, 1))
STEP_S, FENCE_S = 0.01, 0.001
PROMPT = PromptChunk((7, 8, 9), 20)


def next_token(read: tuple[int, ...]) -> int:
    """What the model writes after all that it has read: one of twelve, two of which end it."""
    return zlib.crc32(repr(read).encode()) % 12


@dataclass
class Model:
    """Writes one token a step, each of them by all that stands before it.

    Attributes:
        knows: It tells what is likeliest in the place of a draft's tokens.
        open: Requests that have begun and not ended.
    """

    knows: bool = True
    fails: bool = False
    parts: list[PromptChunk] = field(default_factory=list)
    open: int = 0

    async def answer(
        self, request_id: str, sampling: RequestSampling, chunk: PromptChunk, priority: int = 0
    ) -> AsyncGenerator[EngineOutput, None]:
        assert self.open < 2, "one, and that of a draft that is being dropped"
        assert chunk.max_tokens > 0
        self.parts.append(chunk)
        self.open += 1
        ended = False
        try:
            read = chunk.token_ids + chunk.draft
            told = tuple(next_token(read[:at]) for at in range(len(chunk.token_ids), len(read))) if self.knows else ()
            for left in reversed(range(chunk.max_tokens)):
                await asyncio.sleep(STEP_S)
                if self.fails:
                    raise EngineError("asr", "no")
                token = next_token(read)
                read += (token,)
                stopped = token in sampling.stop_token_ids
                ended = stopped or not left
                yield EngineOutput((token,), (), ended, stopped, likeliest=told)
                told = ()
                if ended:
                    return
        finally:
            if not ended:
                await asyncio.sleep(FENCE_S)
            self.open -= 1

    async def died(self) -> None:
        """Never."""
        await asyncio.Event().wait()

    async def busy(self) -> int:
        return self.open

    async def aclose(self) -> None:
        """Nothing to free."""


async def request(model: Model, chunk: PromptChunk, sampling: RequestSampling = LIKELIEST) -> tuple[list[int], float]:
    """What was written, and how long it took."""
    clock = asyncio.get_running_loop().time
    began, ids, ends = clock(), list[int](), list[bool]()
    async with aclosing(drafted(model, "r", sampling, chunk)) as pieces:
        async for piece in pieces:
            ids += piece.token_ids
            ends.append(piece.chunk_ended)
    assert ends == [False] * (len(ends) - 1) + [True]
    return ids, round(clock() - began, 3)


async def plain(chunk: PromptChunk) -> tuple[int, ...]:
    """What is written without a draft."""
    ids, _ = await request(Model(), replace(chunk, draft=()))
    return tuple(ids)


async def part_of(most: int, tokens: int) -> tuple[PromptChunk, tuple[int, ...]]:
    """One that is answered with so many tokens, and these."""
    for seed in range(1_000):
        chunk = PromptChunk((seed,), most)
        if len(truth := await plain(chunk)) == tokens:
            return chunk, truth
    raise AssertionError


@pytest.mark.parametrize("seed", range(200))
async def test_the_answer_is_the_same_whatever_the_draft_is(seed: int) -> None:
    dice = random.Random(seed)
    chunk = PromptChunk(tuple(dice.choices(range(2, 12), k=4)), dice.randint(1, 12))
    truth = await plain(chunk)
    draft = list((await plain(replace(chunk, max_tokens=40)))[: dice.randint(0, 14)])
    for _ in range(dice.choice((0, 0, 1, 2))):
        draft.insert(dice.randint(0, len(draft)), dice.randint(0, 11))
    model = Model(knows=dice.random() < 0.9)
    with nothing_left():
        ids, _ = await request(model, replace(chunk, draft=tuple(draft)))
    assert tuple(ids) == truth
    assert len(model.parts) <= 2
    assert not model.open


async def test_a_right_draft_takes_no_step_of_its_own_and_a_wrong_one_two() -> None:
    chunk, truth = await part_of(8, 8)
    assert await request(Model(), chunk) == (list(truth), 8 * STEP_S)
    assert await request(Model(), replace(chunk, draft=truth[:5])) == (list(truth), 3 * STEP_S)
    wrong = (*truth[:4], 11 - truth[4])
    assert await request(Model(), replace(chunk, draft=wrong)) == (list(truth), 4 * STEP_S)


@pytest.mark.parametrize(("wrong", "right"), [(None, 5), (4, 4), (0, 0)])
async def test_it_is_told_once_what_became_of_the_draft(wrong: int | None, right: int) -> None:
    chunk, truth = await part_of(8, 8)
    draft = tuple(11 - token if at == wrong else token for at, token in enumerate(truth[:5]))
    assert await told(Model(), replace(chunk, draft=draft)) == [DraftOutcome(5, right)]
    assert await told(Model(), chunk) == [], "there was none"


async def test_a_draft_of_which_the_engine_tells_nothing_is_none_that_was_right() -> None:
    chunk, truth = await part_of(8, 8)
    assert await told(Model(knows=False), replace(chunk, draft=truth[:5])) == [DraftOutcome(5, 0)]


async def told(model: Model, chunk: PromptChunk) -> list[DraftOutcome]:
    async with aclosing(drafted(model, "r", LIKELIEST, chunk)) as pieces:
        return [piece.draft async for piece in pieces if piece.draft]


async def test_an_answer_may_end_where_the_draft_is_wrong() -> None:
    chunk, truth = await part_of(20, 6)
    model = Model()
    ids, _ = await request(model, replace(chunk, draft=(*truth[:-1], 5, 5)))
    assert (tuple(ids), len(model.parts)) == (truth, 1)


async def test_what_is_left_at_any_moment_leaves_nothing_open() -> None:
    chunk = replace(PROMPT, draft=(5, 5))
    for after in range(1, 40, 3):
        model = Model()
        with nothing_left():
            async with asyncio.TaskGroup() as tasks:
                task = tasks.create_task(request(model, chunk))
                await asyncio.sleep(after / 1000)
                task.cancel()
        assert not model.open


async def test_a_failure_is_told() -> None:
    with pytest.raises(EngineError, match="no"):
        await request(Model(fails=True), replace(PROMPT, draft=(5, 5)))


@pytest.mark.parametrize(
    "sampling",
    [
        replace(LIKELIEST, temperature=0.5),
        replace(LIKELIEST, repetition_penalty=1.1),
        replace(LIKELIEST, logprobs=3),
    ],
)
def test_a_draft_says_nothing_of_tokens_that_are_drawn_or_weighed(sampling: RequestSampling) -> None:
    assert usable(sampling, replace(PROMPT, draft=(5, 6))) == ()
    assert usable(LIKELIEST, replace(PROMPT, draft=(5, 6), min_tokens=3)) == ()


def test_a_draft_ends_before_a_stop_and_leaves_a_token_to_write() -> None:
    assert usable(LIKELIEST, replace(PROMPT, draft=(5, 6, 0, 7))) == (5, 6)
    assert usable(LIKELIEST, replace(PROMPT, draft=(5, 6, 7), max_tokens=3)) == (5, 6)
    assert usable(LIKELIEST, replace(PROMPT, draft=(5, 6, 7), max_tokens=1)) == ()


def test_what_is_verified_ends_with_the_models_own_token() -> None:
    assert verified((5, 6, 7), (5, 6, 7)) == (5, 6, 7)
    assert verified((5, 6, 7), (5, 9, 7)) == (5, 9)
    assert verified((5, 6, 7), ()) == ()
