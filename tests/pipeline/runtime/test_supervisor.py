"""An engine that dies or hangs is started again, at once and then after pauses that grow; meanwhile requests fail."""

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from pipeline.aio import startup_objects as heap
from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.base import Engine
from pipeline.errors import ConfigError, EngineError
from pipeline.runtime.supervisor import RestartPolicy, Supervisor

OPEN_S, CLOSE_S = 10.0, 5.0
POLICY = RestartPolicy()
SOONEST_S = POLICY.missed * (POLICY.rest_s + POLICY.probe_s)  # in which a hang is noticed


@pytest.fixture(autouse=True)
def _heap_that_is_looked_through_again() -> Iterator[None]:
    yield
    gc.unfreeze()


class Frail:
    """Repeats its prompts until it dies, or is stuck."""

    def __init__(self, close_s: float = 0.0) -> None:
        self.death = asyncio.Event()
        self.stuck = False
        self.closed = False
        self.probes: list[float] = []
        self.itself = self  # as vLLM's does in many ways
        self._close_s = close_s

    async def generate(self, request_id: str, prompts: AsyncIterator[str]) -> AsyncGenerator[str, None]:
        async for prompt in prompts:
            if self.death.is_set():
                raise EngineError("aura", "the engine has died")
            yield prompt

    async def busy(self) -> int:
        self.probes.append(asyncio.get_running_loop().time())
        if self.stuck:
            await self.death.wait()
        return 3

    async def died(self) -> None:
        await self.death.wait()

    async def aclose(self) -> None:
        await asyncio.sleep(self._close_s)
        self.closed = True
        self.death.set()


@dataclass
class Shop:
    """Opens them, but for so many that do not start."""

    broken: int = 0
    fault: BaseException = field(default_factory=lambda: EngineError("aura", "the engine did not start"))
    opened: list[tuple[float, Frail]] = field(default_factory=list)
    tries: list[float] = field(default_factory=list)
    given_up: int = 0

    async def open(self) -> Engine[Any, Any]:
        self.tries.append(asyncio.get_running_loop().time())
        try:
            await asyncio.sleep(OPEN_S)
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.broken:
            self.broken -= 1
            raise self.fault
        self.opened.append((asyncio.get_running_loop().time(), Frail()))
        return self.opened[-1][1]


@asynccontextmanager
async def supervised(shop: Shop, first: Frail | None = None) -> AsyncGenerator[tuple[Supervisor, Frail], None]:
    first = first or Frail()
    engine = Supervisor("aura", first, shop.open)
    async with BackgroundTasks() as tasks:
        tasks.start("tend", engine.tend)
        await asyncio.sleep(0)
        yield engine, first
    await engine.aclose()


async def said(engine: Supervisor, prompt: str) -> str:
    async def prompts() -> AsyncGenerator[str, None]:
        yield prompt

    return "".join([chunk async for chunk in engine.generate("r", prompts())])


async def test_another_one_takes_the_place_of_one_that_has_died() -> None:
    shop = Shop()
    async with supervised(shop) as (engine, first):
        assert (await said(engine, "a"), engine.is_up, await engine.busy()) == ("a", True, 3)
        first.death.set()
        await asyncio.sleep(0.1)
        assert (engine.is_up, await engine.busy(), first.closed, engine.restarts) == (False, 0, True, 0)
        with pytest.raises(EngineError, match="aura: the engine has died and is being started again"):
            await said(engine, "b")
        await asyncio.sleep(OPEN_S)
        assert (await said(engine, "c"), engine.is_up, engine.restarts) == ("c", True, 1)
    assert [(at, each.closed) for at, each in shop.opened] == [(OPEN_S, True)], "it was opened at once"


async def test_what_a_dead_one_held_is_given_back_though_the_heap_had_settled() -> None:
    first = Frail()
    engine, death, known = Supervisor("aura", first, Shop().open), first.death, weakref.ref(first)
    del first
    heap.freeze_startup_objects()
    async with BackgroundTasks() as tasks:
        tasks.start("tend", engine.tend)
        await asyncio.sleep(1)
        death.set()
        await asyncio.sleep(60)
        assert engine.is_up
        assert known() is None
    await engine.aclose()


@pytest.mark.parametrize(
    "fault",
    [
        TimeoutError("no answer"),
        ConfigError("model", ["it is gone"]),
        ZeroDivisionError("a mistake of ours"),
        ExceptionGroup("several", [ValueError(), KeyError()]),
        asyncio.CancelledError(),
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_whatever_keeps_it_from_starting_is_tried_again(fault: BaseException) -> None:
    async with supervised(Shop(broken=1, fault=fault)) as (engine, first):
        first.death.set()
        await asyncio.sleep(60)
        assert engine.is_up


async def test_one_that_cannot_even_be_closed_is_replaced_all_the_same() -> None:
    class Stubborn(Frail):
        async def aclose(self) -> None:
            if not self.closed:
                self.closed = True
                raise OSError("no such process")

    async with supervised(Shop(), Stubborn()) as (engine, first):
        first.death.set()
        await asyncio.sleep(60)
        assert (engine.is_up, engine.restarts) == (True, 1)


async def test_one_that_does_not_end_is_given_up_in_the_end() -> None:
    async with supervised(Shop(), Frail(close_s=1_000_000.0)) as (engine, first):
        first.death.set()
        await asyncio.sleep(POLICY.close_s + OPEN_S + 1)
        assert engine.is_up


async def test_pauses_between_tries_grow_up_to_a_minute_and_begin_anew_with_an_engine_that_lived() -> None:
    shop = Shop(broken=8)
    async with supervised(shop) as (engine, first):
        first.death.set()
        await asyncio.sleep(400)
        pauses = [round(after - before - OPEN_S) for before, after in pairwise(shop.tries)]
        assert shop.tries[0] == 0.0
        assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
        assert engine.is_up
        began = len(shop.tries)
        await asyncio.sleep(400)
        shop.opened[-1][1].death.set()
        died = asyncio.get_running_loop().time()
        await asyncio.sleep(20)
        assert shop.tries[began] == died


async def test_one_that_dies_again_soon_waits_longer_each_time() -> None:
    shop = Shop()
    async with supervised(shop) as (engine, first):
        first.death.set()
        for pause_s in (0, 1, 2):
            await asyncio.sleep(pause_s + OPEN_S + 0.1)
            shop.opened[-1][1].death.set()
        await asyncio.sleep(60)
        lived = [at for at, _ in shop.opened]
        assert [round(after - before - OPEN_S, 1) for before, after in pairwise(lived)] == [1.1, 2.1, 4.1]
        assert engine.restarts == 4


async def test_one_that_hangs_is_ended_and_started_again() -> None:
    shop = Shop()
    async with supervised(shop) as (engine, first):
        await asyncio.sleep(60)
        assert engine.is_up and not first.closed
        first.stuck = True
        stuck = asyncio.get_running_loop().time()
        await asyncio.wait_for(first.death.wait(), SOONEST_S)
        assert asyncio.get_running_loop().time() >= stuck + POLICY.missed * POLICY.probe_s, "a probe may be missed"
        assert (engine.is_up, first.closed) == (False, True)
        await asyncio.sleep(OPEN_S + 1)
        assert (engine.is_up, engine.restarts) == (True, 1)


async def test_one_that_missed_a_probe_or_two_and_answers_again_goes_on() -> None:
    async with supervised(Shop()) as (engine, first):
        for _ in range(4):
            first.stuck = True
            await asyncio.sleep(SOONEST_S / POLICY.missed * (POLICY.missed - 1))
            first.stuck = False
            await asyncio.sleep(POLICY.rest_s + POLICY.probe_s)
        await asyncio.sleep(SOONEST_S)
        assert (engine.is_up, engine.restarts) == (True, 0)


async def test_one_that_writes_does_not_hang_though_it_answers_no_probe_and_is_not_asked() -> None:
    async def prompts() -> AsyncGenerator[str, None]:
        while True:
            await asyncio.sleep(POLICY.rest_s - 1)
            yield "a"

    async with supervised(Shop()) as (engine, first):
        first.stuck = True
        async with aclosing(engine.generate("r", prompts())) as chunks:
            for _ in range(100):
                assert await anext(chunks) == "a"
        assert (engine.is_up, first.probes) == (True, [])


async def test_how_busy_one_is_that_does_not_answer_is_said_soon() -> None:
    async def prompts() -> AsyncGenerator[str, None]:
        yield "a"
        await asyncio.Event().wait()

    async with supervised(Shop()) as (engine, first):
        first.stuck = True
        request = asyncio.get_running_loop().time()
        assert await engine.busy() == 1
        assert asyncio.get_running_loop().time() == request + POLICY.busy_s
        async with aclosing(engine.generate("r", prompts())) as one, aclosing(engine.generate("s", prompts())) as two:
            assert (await anext(one), await anext(two), await engine.busy()) == ("a", "a", 2)
        first.stuck = False


async def test_closing_ends_it_for_good() -> None:
    shop = Shop()
    async with supervised(shop) as (engine, first):
        pass
    assert first.closed
    with pytest.raises(EngineError), suppress(StopAsyncIteration):
        await said(engine, "late")
    assert shop.tries == []


async def test_one_that_is_being_started_is_given_up_with_the_pipeline() -> None:
    shop = Shop()
    async with supervised(shop) as (engine, first):
        first.death.set()
        await asyncio.sleep(OPEN_S / 2)
    assert (shop.given_up, shop.opened, first.closed, engine.is_up) == (1, [], True, False)


async def test_one_that_is_being_closed_when_the_pipeline_ends_is_closed_to_the_end() -> None:
    shop = Shop()
    async with supervised(shop, Frail(CLOSE_S)) as (_, first):
        first.death.set()
        await asyncio.sleep(CLOSE_S / 2)
        halfway = first.closed
    assert (halfway, first.closed, shop.tries) == (False, True, [])
