"""Frames on their way to the pipeline and back."""

import asyncio

import numpy as np
import pytest

from agent.aio.background_tasks import OwnedTasks
from agent.livekit.input_stream import CameraPicture, InputItem
from agent.livekit.media import Camera, VideoPace, audio_piece, sound
from agent.video.sourced_frame import SourcedFrame
from tests.agent.video.frames import plain


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


@pytest.mark.anyio
async def test_sound_that_is_heard_keeps_its_samples_and_its_length() -> None:
    pcm = np.arange(1200, dtype=np.int16).tobytes()
    await asyncio.sleep(7.0)
    piece = audio_piece(sound(pcm))
    assert (piece.pcm, piece.seconds, piece.taken_at) == (pcm, 0.05, 7.0)


class TestCamera:
    """In real time: pictures are made in a thread."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    async def test_a_picture_carries_the_time_at_which_it_was_seen(self) -> None:
        before = asyncio.get_running_loop().time()
        [picture] = await pictures(1)
        assert isinstance(picture, CameraPicture)
        assert before <= picture.taken_at < before + 0.5
        assert picture.jpeg[:2] == b"\xff\xd8"
        assert picture.source == "camera"

    async def test_a_picture_of_a_screen_says_so(self) -> None:
        tasks, sent = OwnedTasks(), Pictures()
        Camera(sent, tasks).see(SourcedFrame(plain(64, 64, (0, 0, 0)), "screen"))
        async with asyncio.timeout(5):
            await tasks.wait()
        assert [each.source for each in sent.taken if isinstance(each, CameraPicture)] == ["screen"]

    async def test_a_picture_that_comes_while_one_is_made_is_dropped(self) -> None:
        assert len(await pictures(2)) == 1


class Pictures:
    """Keeps what would be sent."""

    def __init__(self) -> None:
        self.taken: list[InputItem] = []

    def stream(self, item: InputItem) -> None:
        self.taken.append(item)


async def pictures(frames: int) -> list[InputItem]:
    """What the pipeline is sent of so many frames that come at once."""
    tasks, sent = OwnedTasks(), Pictures()
    camera = Camera(sent, tasks)
    for _ in range(frames):
        camera.see(plain(64, 64, (0, 0, 0)))
    async with asyncio.timeout(5):
        await tasks.wait()
    return sent.taken
