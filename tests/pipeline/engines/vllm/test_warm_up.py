"""What an engine does before it is given out: its first work, and nothing is left of it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial

import pytest

from pipeline.engines.qwen3_asr.setup import FIRST_S, first_parts
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.engines.vllm.warm_up import heard, heard_together, lengths, read, warmed
from pipeline.errors import EngineError
from tests.pipeline.engines.qwen3_asr.test_engine import FakeAnswers, engine_settings


class Counting:
    """Counts up for each prompt, a number every second, without end."""

    def __init__(self) -> None:
        self.said = list[tuple[str, int]]()
        self.running = 0
        self.batches = list[int]()
        self.closed = False

    async def generate(self, request_id: str, prompts: AsyncIterator[str]) -> AsyncGenerator[int, None]:
        async for prompt in prompts:
            self.running += 1
            try:
                for number in range(100):
                    await asyncio.sleep(1)
                    self.said.append((prompt, number))
                    self.batches.append(self.running)
                    yield number
            finally:
                self.running -= 1

    async def busy(self) -> int:
        return self.running

    async def aclose(self) -> None:
        self.closed = True


async def test_an_engine_is_given_out_when_it_has_begun_an_answer_and_given_it_up() -> None:
    engine = Counting()
    assert await warmed(engine, partial(heard, engine, "Hello.", 3)) is engine
    assert asyncio.get_running_loop().time() == 3
    assert engine.said == [("Hello.", 0), ("Hello.", 1), ("Hello.", 2)]
    assert not await engine.busy()
    assert not engine.closed


@pytest.mark.parametrize(("most", "sizes"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (16, [1, 2, 4, 8, 16])])
async def test_batches_of_all_sizes_are_warm_before_callers_come_at_once(most: int, sizes: list[int]) -> None:
    engine = Counting()
    await heard_together(engine, "Hello.", 2, most)
    assert set(sizes) <= set(engine.batches)
    assert max(engine.batches) == most
    assert not await engine.busy()


async def test_the_failure_of_a_batch_is_the_engines_own() -> None:
    class Broken(Counting):
        async def generate(self, request_id: str, prompts: AsyncIterator[str]) -> AsyncGenerator[int, None]:
            async for _ in prompts:
                raise EngineError("qwen3_tts", "no memory")
            yield 0

    with pytest.raises(EngineError, match="no memory"):
        await heard_together(Broken(), "Hello.", 2, 4)


async def test_an_engine_that_fails_at_first_is_closed() -> None:
    engine = Counting()

    async def fails() -> None:
        raise EngineError("asr", "no memory")

    with pytest.raises(EngineError, match="no memory"):
        await warmed(engine, fails)
    assert engine.closed


async def test_a_start_that_is_given_up_closes_the_engine() -> None:
    engine = Counting()
    async with asyncio.TaskGroup() as tasks:
        starting = tasks.create_task(warmed(engine, partial(heard, engine, "Hello.", 9)))
        await asyncio.sleep(2.5)
        starting.cancel()
    assert engine.closed
    assert not await engine.busy()


async def test_a_recogniser_hears_every_number_of_chunks_that_a_window_may_have() -> None:
    fake = FakeAnswers()
    parts = list(first_parts(engine_settings(longest_ms=20_000)))
    await read(fake, SamplingDefaults().sampling(()), parts)
    assert fake.parts == parts
    assert fake.most == 1
    windows = [[len(media_item.item()) for media_item in chunk.media] for chunk in parts]
    assert {-(-window[-1] // 100) for window in windows} == set(range(1, 10))
    assert max(len(window) for window in windows) > 1
    assert all(chunk.max_tokens == chunk.min_tokens > 1 for chunk in parts), "a token is written after another"


async def test_a_recogniser_that_hears_short_sounds_only_hears_no_others_at_first() -> None:
    assert len(list(first_parts(engine_settings(longest_ms=4_000)))) == len([each for each in FIRST_S if each <= 4])


def test_prompts_of_each_range_of_lengths_are_read() -> None:
    assert [*lengths(300)] == [32, 48, 64, 96, 128, 192, 256]
    assert [*lengths(31)] == []


def test_beyond_the_graphs_one_of_eight_in_a_row_is_a_multiple_of_eight_whatever_stands_in_front() -> None:
    eager = [length for length in lengths(1_100) if length > 512]
    assert eager == [*range(697, 705), *range(953, 961)]
