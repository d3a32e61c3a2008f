"""Callers of a load test who wait for each other wait for nobody whom a server keeps at its door."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from infra.bench.load import placing
from infra.bench.load.placing import CONNECTS_S, Placing
from pipeline.realtime.client import Readiness, RealtimeClient, Unreachable
from tests.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.anyio

HANGS, SERVES = "http://hangs", "http://serves"


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}


@asynccontextmanager
async def connect(url: str, key: str) -> AsyncIterator[RealtimeClient]:
    if url == HANGS:
        await asyncio.Event().wait()
    yield cast(RealtimeClient, None)


async def began_at(urls: list[str], free: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> list[float | str]:
    """When each of three callers has begun, or what they are told."""

    async def readiness(url: str) -> Readiness:
        return Readiness(True, free[url])

    monkeypatch.setattr(placing, "connect", connect)
    monkeypatch.setattr(placing, "readiness", readiness)
    place, clock = Placing(urls, "key", together=3), asyncio.get_running_loop().time

    async def call() -> float | str:
        try:
            async with place.connected() as (url, _):
                free[url] -= 1
                return clock()
        except Unreachable as error:
            free[HANGS] = 0  # so the next one goes elsewhere
            return str(error)

    return list(await asyncio.gather(call(), call(), call()))


async def test_a_server_that_hangs_in_the_handshake_is_told_and_the_others_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = await began_at([SERVES, HANGS], {SERVES: 2, HANGS: 3}, monkeypatch)
    assert told == ["no pipeline answers at http://hangs in 20 s", CONNECTS_S, CONNECTS_S]


async def test_one_server_alone_holds_nobody_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await began_at([HANGS], {HANGS: 3}, monkeypatch) == ["no pipeline answers at http://hangs in 20 s"] * 3
