"""What the measurement of cancels takes for the moment at which an engine is idle."""

import asyncio
from collections.abc import Mapping

import pytest

from infra.bench.engines import POLL_S, Engines

pytestmark = pytest.mark.anyio


async def test_an_engine_is_idle_when_it_says_so_and_stays_so() -> None:
    said = [
        {"asr": 1, "aura": 1, "tts": 1},
        {"asr": 1, "aura": 0, "tts": 1},
        {"asr": 1, "aura": 1, "tts": 1},  # it began again
        {"asr": 1, "aura": 1, "tts": 0},
        {"asr": 1, "aura": 0, "tts": 0},
    ]
    clock = asyncio.get_running_loop().time
    asked: list[float] = []

    async def ask() -> Mapping[str, int]:
        asked.append(clock())
        return said[len(asked) - 1]

    idle_at = await Engines(ask, unheard=("asr",)).until_idle()
    assert len(asked) == 5, "nobody waits for the recogniser"
    assert 0 <= idle_at["tts"] - asked[3] < POLL_S
    assert 0 <= idle_at["aura"] - asked[4] < POLL_S
