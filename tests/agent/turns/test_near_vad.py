"""Voice activity detection behind its gate, with the network that LiveKit ships."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest
from livekit import rtc
from livekit.agents.vad import VADEvent, VADEventType

from agent.turns.near_vad import NearVad

pytestmark = pytest.mark.anyio

RATE, FRAME = 16_000, 320


class Near:
    """Nearness as a test says."""

    def __init__(self, *, hears: bool = True, holds: bool = False) -> None:
        self.holds, self._hears = holds, hears
        self.loudest = 0

    def hears(self, samples: np.ndarray) -> bool:
        self.loudest = max(self.loudest, int(np.abs(samples).max()))
        return self._hears


@pytest.fixture
def anyio_backend() -> str:
    """Real time: the network computes in a thread."""
    return "asyncio"


@pytest.fixture
def spoken() -> np.ndarray:
    """A second of a voice, and a second of silence."""
    from infra.bench.base.speech import PersonVoice

    voice = PersonVoice().say("What is the capital of Italy?")[::3]
    return np.concatenate([voice, np.zeros(2 * RATE, np.int16)])


async def kinds(near: Near, sound: np.ndarray) -> list[VADEventType]:
    return [event.type async for event in events(near, sound)]


async def events(near: Near, sound: np.ndarray) -> AsyncIterator[VADEvent]:
    stream = NearVad(near, min_speech_duration=0.05, min_silence_duration=0.25).stream()
    for piece in sound[: len(sound) // FRAME * FRAME].reshape(-1, FRAME):
        stream.push_frame(rtc.AudioFrame(piece.tobytes(), RATE, 1, FRAME))
    stream.end_input()
    async with asyncio.timeout(20):
        async for event in stream:
            yield event
    await stream.aclose()


async def test_who_is_near_is_heard(spoken: np.ndarray) -> None:
    near = Near()
    told = await kinds(near, spoken)
    assert VADEventType.START_OF_SPEECH in told and VADEventType.END_OF_SPEECH in told
    assert near.loudest > 1_000


async def test_who_is_far_is_not(spoken: np.ndarray) -> None:
    told = await kinds(Near(hears=False), spoken)
    assert told and set(told) == {VADEventType.INFERENCE_DONE}


async def test_of_a_sound_that_holds_nobody_is_told_how_long_it_is_and_so_it_pauses_nothing(spoken: np.ndarray) -> None:
    held, free = [[event async for event in events(Near(holds=holds), spoken)] for holds in (True, False)]
    during = [event for event in held if event.type == VADEventType.INFERENCE_DONE]
    assert {event.speech_duration for event in during} == {0.0}
    assert max(event.raw_accumulated_silence for event in during if event.speaking) >= 0.2, "its end can be judged"
    assert [event.type for event in held] == [event.type for event in free]
    assert {event.speech_duration for event in free} != {0.0}
