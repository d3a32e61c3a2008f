"""Voice activity detection for many callers: off the event loop, together, and for each as if they were alone."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import numpy as np
import pytest

from pipeline.engines.silero.vad import SileroModel
from pipeline.engines.silero.vad_batcher import FRAMES_AT_ONCE, Floats, VadBatcher


@pytest.fixture
def anyio_backend() -> str:
    """Threads need the real clock."""
    return "asyncio"


class Sums:
    """Judges a frame by all that was said before it: the sum of the first samples so far.

    Attributes:
        sizes: Frames of each pass.
    """

    def __init__(self, before: Callable[[], object] = bool) -> None:
        self.sizes: list[int] = []
        self.threads: set[int] = set()
        self._before = before

    def __call__(self, windows: Floats, states: Floats) -> tuple[Floats, Floats]:
        self.sizes.append(len(windows))
        self.threads.add(threading.get_ident())
        self._before()
        after = states + windows[None, :, :1]
        return after[0], after


@asynccontextmanager
async def batching(network: Sums) -> AsyncGenerator[VadBatcher, None]:
    batcher = VadBatcher(network)
    try:
        yield batcher
    finally:
        await batcher.aclose()


def nothing() -> Floats:
    return np.zeros((2, 1, 1), np.float32)


def frames(*values: float) -> Floats:
    return np.asarray(values, np.float32)[:, None]


async def test_each_caller_is_judged_as_if_they_were_alone() -> None:
    chance = np.random.default_rng(1)
    said = [chance.integers(0, 99, chance.integers(1, 150)).astype(np.float32) for _ in range(150)]
    async with batching(Sums()) as batcher:
        judged = await asyncio.gather(*(batcher.judge(frames(*each), nothing()) for each in said))
    for each, (probabilities, state) in zip(said, judged, strict=True):
        assert probabilities == np.cumsum(each).tolist()
        assert state[0, 0, 0] == each.sum()


async def test_who_comes_while_a_pass_is_computed_is_in_the_next_one_and_none_is_larger_than_pays() -> None:
    gate = threading.Event()
    network = Sums(gate.wait)
    async with batching(network) as batcher, asyncio.TaskGroup() as callers:
        for _ in range(1 + FRAMES_AT_ONCE + 10):
            callers.create_task(batcher.judge(frames(1.0), nothing()))
            await asyncio.sleep(0)
        gate.set()
    assert network.sizes == [1, FRAMES_AT_ONCE, 10]
    assert threading.get_ident() not in network.threads
    assert len(network.threads) == 1


async def test_who_brings_much_sound_at_once_does_not_keep_others_waiting() -> None:
    passes = threading.Semaphore(0)
    async with batching(Sums(passes.acquire)) as batcher, asyncio.TaskGroup() as callers:
        much = callers.create_task(batcher.judge(frames(*range(10 * FRAMES_AT_ONCE)), nothing()))
        await asyncio.sleep(0)
        little = callers.create_task(batcher.judge(frames(1.0), nothing()))
        passes.release(2 * FRAMES_AT_ONCE)
        await little
        assert not much.done()
        passes.release(10 * FRAMES_AT_ONCE)


async def test_the_sound_of_a_caller_who_has_gone_is_not_computed() -> None:
    gate = threading.Event()
    network = Sums(gate.wait)
    async with batching(network) as batcher, asyncio.TaskGroup() as callers:
        tasks = [callers.create_task(batcher.judge(frames(*range(5 + at)), nothing())) for at in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        tasks[1].cancel()
        await asyncio.sleep(0)
        gate.set()
    assert network.sizes == [1] * (5 + 7), "the one whose turn it was, and the last"


async def test_a_failure_is_told_to_those_whom_it_concerns_and_spares_the_next() -> None:
    left = [ZeroDivisionError()]

    def fail_once() -> None:
        if left:
            raise left.pop()

    async with batching(Sums(fail_once)) as batcher:
        with pytest.raises(ZeroDivisionError):
            await batcher.judge(frames(1.0), nothing())
        assert (await batcher.judge(frames(1.0), nothing()))[0] == [1.0]


async def test_a_minute_of_sound_is_judged_off_the_event_loop() -> None:
    model = SileroModel()
    try:
        sound = np.random.default_rng(0).normal(0, 0.1, 60 * 16_000).astype(np.float32)
        began, computed = time.thread_time(), time.process_time()
        assert len(await model().feed(sound)) == 1_875
        here, everywhere = time.thread_time() - began, time.process_time() - computed
    finally:
        await model.aclose()
    assert here < everywhere / 3


async def test_many_callers_hear_what_each_would_hear_alone() -> None:
    model = SileroModel()
    try:
        chance = np.random.default_rng(0)
        sounds = [chance.normal(0, 0.02 * at, 16_000).astype(np.float32) for at in range(8)]
        alone = [await model().feed(sound) for sound in sounds]

        async def in_pieces(sound: Floats) -> list[float]:
            detector = model()
            return [likely for piece in np.array_split(sound, 37) for likely in await detector.feed(piece)]

        together = await asyncio.gather(*map(in_pieces, sounds))
    finally:
        await model.aclose()
    assert np.allclose(alone, together, atol=1e-6)
