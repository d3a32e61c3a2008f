"""The moments of a camera's pictures, whatever becomes of the microphone.

In real time: pictures are made in a thread.
"""

import asyncio
from functools import partial

import pytest

from agent.livekit.media import sound
from agent.livekit.session import AuraRealtimeSession
from agent.video.sourced_frame import SourcedFrame
from tests.agent.fake_pipeline import FakePipeline
from tests.agent.livekit.test_session import talking
from tests.agent.video.frames import plain
from tests.contract.wire_wait import eventually

pytestmark = pytest.mark.anyio

FIFTY_MS = sound(bytes(2 * 1_200))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def look(
    session: AuraRealtimeSession, pipeline: FakePipeline, pictures: int, *, talks: bool = False
) -> list[float]:
    """Show so many pictures, one after the other; returns when each was, in milliseconds."""
    moments: list[float] = []
    picture = plain(64, 64, (0, 0, 0))
    for _ in range(pictures):
        seen = len(stamps(pipeline))
        moments.append(asyncio.get_running_loop().time() * 1_000)
        session.push_video(picture)
        for _ in range(2):
            await asyncio.sleep(0.05)
            if talks:
                session.push_audio(FIFTY_MS)
        await eventually(partial(came_since, pipeline, seen))
    return moments


def came_since(pipeline: FakePipeline, seen: int) -> bool:
    return len(stamps(pipeline)) > seen


def since_the_first(moments: list[float]) -> list[float]:
    return [moment - moments[0] for moment in moments]


def stamps(pipeline: FakePipeline) -> list[float]:
    return [event["timestamp_ms"] for event in pipeline.of("input_video_buffer.append")]


async def test_time_goes_on_between_pictures_while_the_microphone_is_off() -> None:
    async with talking(pipeline := FakePipeline()) as (session, _):
        moments = await look(session, pipeline, 5)
    assert since_the_first(stamps(pipeline)) == pytest.approx(since_the_first(moments), abs=20)


async def test_time_goes_on_when_a_muted_track_stops_and_never_goes_back_when_it_is_heard_again() -> None:
    async with talking(pipeline := FakePipeline()) as (session, _):
        session.push_audio(FIFTY_MS)
        moments = await look(session, pipeline, 2, talks=True)
        moments += await look(session, pipeline, 2)
        moments += await look(session, pipeline, 2, talks=True)
    assert since_the_first(stamps(pipeline)) == pytest.approx(since_the_first(moments), abs=20)


async def test_a_picture_of_a_screen_is_sent_and_told_as_one() -> None:
    async with talking(pipeline := FakePipeline()) as (session, listener):
        for picture in (plain(64, 64, (0, 0, 0)), SourcedFrame(plain(64, 64, (0, 0, 0)), "screen")):
            seen = len(stamps(pipeline))
            session.push_video(picture)
            await eventually(partial(came_since, pipeline, seen))
    sent = [event["source"] for event in pipeline.of("input_video_buffer.append")]
    assert sent == listener.pictures == ["camera", "screen"]
