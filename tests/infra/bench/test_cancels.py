"""What the measurement of cancels takes for the moment at which an engine is idle."""

import asyncio
from collections.abc import Mapping

import pytest

from infra.bench.base.engines import POLL_S, until_idle

pytestmark = pytest.mark.anyio


async def test_an_engine_is_idle_when_it_says_so_and_stays_so() -> None:
    said = [
        {"aura": 1, "tts": 1},
        {"aura": 0, "tts": 1},
        {"aura": 1, "tts": 1},  # it began again
        {"aura": 1, "tts": 0},
        {"aura": 0, "tts": 0},
    ]
    clock = asyncio.get_running_loop().time
    asked: list[float] = []

    async def ask() -> Mapping[str, int]:
        asked.append(clock())
        return said[len(asked) - 1]

    idle_at = await until_idle(ask)
    assert len(asked) == 5
    assert 0 <= idle_at["tts"] - asked[3] < POLL_S
    assert 0 <= idle_at["aura"] - asked[4] < POLL_S
