"""The real voice."""

from collections.abc import AsyncGenerator
from typing import Any

import numpy as np
import pytest

from pipeline.engines.hibari.engine import HibariEngine
from pipeline.media.sample_rates import VOICE_RATE
from pipeline.types.chunks import Clause
from tests.contract.embedded import MODULE_BACKEND, all_of, seconds_to_close, spoken, ticks_a_second

pytestmark = pytest.mark.contract

LONG = "The ship sailed on and on over the sea, while the wind blew from the west and the gulls cried. " * 100


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
async def voice(anyio_backend: object) -> AsyncGenerator[HibariEngine, None]:
    hibari = await HibariEngine.open()
    yield hibari
    await hibari.aclose()


@pytest.mark.parametrize(
    "text",
    [
        "Hello there.",
        " leading space",
        "😀",
        "你好",
        "Привет",
        "...",
        "a\x00\x1b[31mb",
        "1234567890" * 9,
        "<|silent|>",
        "\ud800",
    ],
)
async def test_whatever_the_text_its_pieces_concatenate_to_it(voice: HibariEngine, text: str) -> None:
    assert "".join(audio.text for audio in await all_of(voice, Clause(text, ""))) == text


async def test_a_clause_is_sound_with_little_silence_around_it(voice: HibariEngine) -> None:
    sound = np.abs(np.frombuffer(await spoken(voice, "The capital of France is Paris."), "<i2").astype(int))
    loud = np.flatnonzero(sound > 300)
    assert 1.2 < len(sound) / VOICE_RATE < 2.5
    assert loud[0] / VOICE_RATE < 0.1
    assert 0.15 < (len(sound) - loud[-1]) / VOICE_RATE < 0.35


async def test_what_cannot_be_spoken_is_silent(voice: HibariEngine) -> None:
    assert [audio.pcm for audio in await all_of(voice, Clause("🎉🎉", ""))] == [b""]


async def test_a_clause_is_one_chunk_so_that_its_end_is_known(voice: HibariEngine) -> None:
    clause = Clause(LONG[:600], "")
    assert [audio.text for audio in await all_of(voice, clause)] == [clause.text]


async def test_any_voice_is_accepted_and_speed_is_respected(voice: HibariEngine) -> None:
    sizes = [
        sum(len(audio.pcm) for audio in await all_of(voice, Clause("One two three four five.", "alloy", speed)))
        for speed in (0.7, 1.0, 1.5)
    ]
    assert sizes == sorted(sizes, reverse=True)


async def test_a_cancelled_voice_is_idle_within_a_tenth_of_a_second(voice: HibariEngine) -> None:
    closing = [await seconds_to_close(voice, Clause(LONG, ""), after_s=0.02 * number) for number in range(1, 11)]
    assert min(closing) < 0.1
    assert await voice.busy() == 0


async def test_the_loop_is_not_held_while_it_speaks(voice: HibariEngine) -> None:
    assert await ticks_a_second(voice, Clause(LONG[:900], "")) > 20
