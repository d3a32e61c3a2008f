"""The moments of a camera's pictures, whatever becomes of the microphone.

In real time: pictures are made in a thread.
"""

import asyncio
from itertools import pairwise

import pytest

from agent.livekit.media import sound
from agent.livekit.session import AuraRealtimeSession
from tests.agent.fake_pipeline import FakePipeline
from tests.agent.livekit.test_media import frame
from tests.agent.livekit.test_session import talking

pytestmark = pytest.mark.anyio

EACH_S = 0.15
FIFTY_MS = sound(bytes(2 * 1_200))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def look(session: AuraRealtimeSession, pictures: int, *, talks: bool = False) -> None:
    for _ in range(pictures):
        session.push_video(frame(64, 64, (0, 0, 0)))
        for _ in range(3):
            await asyncio.sleep(EACH_S / 3)
            if talks:
                session.push_audio(FIFTY_MS)


def gaps_ms(pipeline: FakePipeline) -> list[int]:
    stamps = [event["timestamp_ms"] for event in pipeline.of("input_video_buffer.append")]
    return [after - before for before, after in pairwise(stamps)]


async def test_time_goes_on_between_pictures_while_the_microphone_is_off() -> None:
    async with talking(pipeline := FakePipeline()) as (session, _):
        await look(session, 6)
    assert len(gaps_ms(pipeline)) == 5
    assert gaps_ms(pipeline) == pytest.approx([1_000 * EACH_S] * 5, abs=80)


async def test_time_goes_on_when_a_muted_track_stops_and_never_goes_back_when_it_is_heard_again() -> None:
    async with talking(pipeline := FakePipeline()) as (session, _):
        await look(session, 3, talks=True)
        await look(session, 3)
        await look(session, 3, talks=True)
    assert len(gaps_ms(pipeline)) == 8
    assert gaps_ms(pipeline) == pytest.approx([1_000 * EACH_S] * 8, abs=80)
