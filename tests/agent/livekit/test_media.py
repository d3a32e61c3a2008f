"""Frames on their way to the pipeline and back."""

import asyncio
import io
from base64 import b64decode

import numpy as np
import pytest
from livekit import rtc
from PIL import Image

from agent.aio.background_tasks import OwnedTasks
from agent.livekit.media import Camera, VideoPace, appended, jpeg, sound
from pipeline.realtime.client import Event


def frame(width: int, height: int, rgb: tuple[int, int, int]) -> rtc.VideoFrame:
    """As a room gives them."""
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[:, :, :3] = rgb
    rgba = rtc.VideoFrame(width, height, rtc.VideoBufferType.RGBA, pixels.tobytes())
    return rgba.convert(rtc.VideoBufferType.I420)


@pytest.mark.parametrize("fps", [5, 7.5, 15, 24, 30, 60])
def test_two_pictures_a_second_are_taken_of_any_camera(fps: float) -> None:
    pace = VideoPace(per_s=2.0)
    taken = [moment for moment in np.arange(0, 60, 1 / fps) if pace.take(float(moment))]
    assert len(taken) == pytest.approx(120, abs=1)
    assert np.diff(taken).max() <= 0.5 + 1 / fps


def test_after_a_gap_the_pace_does_not_catch_up() -> None:
    pace = VideoPace(per_s=2.0)
    taken = [moment for moment in (0.0, 0.5, 10.0, 10.1, 10.2, 10.5) if pace.take(moment)]
    assert taken == [0.0, 0.5, 10.0, 10.5]


def test_sound_comes_back_as_it_was_sent() -> None:
    pcm = np.arange(1200, dtype=np.int16).tobytes()
    sent = appended(sound(pcm))
    assert sent["type"] == "input_audio_buffer.append"
    assert b64decode(sent["audio"]) == pcm


def test_a_large_picture_is_made_smaller_and_keeps_its_shape_and_colour() -> None:
    image = Image.open(io.BytesIO(jpeg(frame(1280, 720, (200, 40, 40)))))
    assert image.size == (640, 360)
    assert image.getpixel((320, 180)) == pytest.approx((200, 40, 40), abs=4)


class TestCamera:
    """In real time: pictures are made in a thread."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    async def test_a_picture_carries_the_time_at_which_it_was_seen(self) -> None:
        [event] = await pictures((1_500,))
        assert (event["type"], event["timestamp_ms"]) == ("input_video_buffer.append", 1_500)
        assert b64decode(event["image"])[:2] == b"\xff\xd8"

    async def test_a_picture_that_comes_while_one_is_made_is_dropped(self) -> None:
        assert [event["timestamp_ms"] for event in await pictures((0, 500))] == [0]


async def pictures(moments: tuple[int, ...]) -> list[Event]:
    """What the pipeline is sent of frames that come at once, at these moments of sound."""
    events: list[Event] = []
    tasks = OwnedTasks()
    camera = Camera(events.append, tasks)
    for moment in moments:
        camera.see(frame(64, 64, (0, 0, 0)), moment)
    async with asyncio.timeout(5):
        await tasks.wait()
    return events
