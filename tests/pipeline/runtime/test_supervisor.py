"""An engine that dies is opened anew, after pauses that grow; meanwhile requests fail at once."""

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from pipeline.aio import startup_objects as heap
from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.base import Engine
from pipeline.errors import EngineError
from pipeline.runtime.supervisor import Supervisor

OPEN_S = 10.0


@pytest.fixture(autouse=True)
def _heap_that_is_looked_through_again() -> Iterator[None]:
    yield
    gc.unfreeze()


class Frail:
    """Repeats its prompts until it dies."""

    def __init__(self) -> None:
        self.death = asyncio.Event()
        self.closed = False
        self.itself = self  # as vLLM's does in many ways

    async def generate(self, request_id: str, prompts: AsyncIterator[str]) -> AsyncGenerator[str, None]:
        async for prompt in prompts:
            if self.death.is_set():
                raise EngineError("aura", "the engine has died")
            yield prompt

    async def busy(self) -> int:
        return 3

    async def died(self) -> None:
        await self.death.wait()

    async def aclose(self) -> None:
        self.closed = True


@dataclass
class Shop:
    """Opens them, but for so many that do not start."""

    broken: int = 0
    fault: Exception = field(default_factory=lambda: EngineError("aura", "the engine did not start"))
    opened: list[tuple[float, Frail]] = field(default_factory=list)
    tries: list[float] = field(default_factory=list)

    async def open(self) -> Engine[Any, Any]:
        self.tries.append(asyncio.get_running_loop().time())
        await asyncio.sleep(OPEN_S)
        if self.broken:
            self.broken -= 1
            raise self.fault
        self.opened.append((asyncio.get_running_loop().time(), Frail()))
        return self.opened[-1][1]


@asynccontextmanager
async def tended(shop: Shop) -> AsyncGenerator[tuple[Supervisor, Frail], None]:
    first = Frail()
    engine = Supervisor("aura", first, shop.open)
    async with BackgroundTasks() as tasks:
        tasks.start("tend", engine.tend)
        yield engine, first
    await engine.aclose()


async def said(engine: Supervisor, prompt: str) -> str:
    async def prompts() -> AsyncGenerator[str, None]:
        yield prompt

    return "".join([chunk async for chunk in engine.generate("r", prompts())])


async def test_another_one_takes_the_place_of_one_that_has_died() -> None:
    shop = Shop()
    async with tended(shop) as (engine, first):
        assert (await said(engine, "a"), engine.is_up, await engine.busy()) == ("a", True, 3)
        first.death.set()
        await asyncio.sleep(0.1)
        assert (engine.is_up, await engine.busy(), first.closed) == (False, 0, True)
        with pytest.raises(EngineError, match="aura: the engine has died and is being started again"):
            await said(engine, "b")
        await asyncio.sleep(1 + OPEN_S)
        assert (await said(engine, "c"), engine.is_up) == ("c", True)
    assert [(at, each.closed) for at, each in shop.opened] == [(11.0, True)]


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


async def test_whatever_keeps_it_from_starting_is_tried_again() -> None:
    shop = Shop(broken=1, fault=TimeoutError("no answer"))
    async with tended(shop) as (engine, first):
        first.death.set()
        await asyncio.sleep(60)
        assert engine.is_up


async def test_pauses_between_tries_grow_up_to_a_minute_and_begin_anew_with_an_engine_that_lived() -> None:
    shop = Shop(broken=7)
    async with tended(shop) as (engine, first):
        first.death.set()
        await asyncio.sleep(400)
        pauses = [round(after - before - OPEN_S) for before, after in zip(shop.tries, shop.tries[1:], strict=False)]
        assert pauses == [2, 4, 8, 16, 32, 60, 60]
        assert engine.is_up
        began = len(shop.tries)
        await asyncio.sleep(400)
        shop.opened[-1][1].death.set()
        died = asyncio.get_running_loop().time()
        await asyncio.sleep(20)
        assert shop.tries[began] == pytest.approx(died + 1)


async def test_closing_ends_it_for_good() -> None:
    shop = Shop()
    async with tended(shop) as (engine, first):
        pass
    assert first.closed
    with pytest.raises(EngineError), suppress(StopAsyncIteration):
        await said(engine, "late")
    assert shop.tries == []
