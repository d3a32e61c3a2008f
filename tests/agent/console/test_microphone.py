"""A microphone between the thread that hears and the loop that listens."""

import asyncio

import numpy as np
import pytest

from agent.console.microphone import FLOOR_DB, FRAME_BYTES, MOST_FRAMES, CardMicrophone, level_db

pytestmark = pytest.mark.anyio


def block(value: int, length: int = FRAME_BYTES) -> bytes:
    return np.full(length // 2, value, np.int16).tobytes()


async def test_whatever_is_heard_comes_in_frames_of_20_ms() -> None:
    microphone = CardMicrophone()
    for value, length in ((1, 700), (2, 700), (3, 520)):
        microphone.hear(block(value, length))
    frames = [bytes((await anext(microphone)).data) for _ in range(2)]
    assert [len(frame) for frame in frames] == [FRAME_BYTES, FRAME_BYTES]
    assert b"".join(frames) == (block(1, 700) + block(2, 700) + block(3, 520))


async def test_what_nobody_fetches_for_a_second_is_dropped_the_oldest_first() -> None:
    microphone = CardMicrophone()
    for value in range(MOST_FRAMES + 10):
        microphone.hear(block(value))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert np.frombuffer((await anext(microphone)).data, np.int16)[0] == 10


@pytest.mark.parametrize(("sample", "level"), [(0, FLOOR_DB), (-32_768, 0.0), (16_384, -6.0), (1_036, -30.0)])
async def test_the_level_is_in_decibels_of_full_scale(sample: int, level: float) -> None:
    assert level_db(block(sample)) == pytest.approx(level, abs=0.05)
