"""Pictures that are made of the frames of a video."""

import io

import numpy as np
import pytest
from livekit import rtc
from PIL import Image

from agent.video.jpeg import jpeg
from agent.video.sourced_frame import SourcedFrame
from pipeline.media.video_chunk import fitted
from tests.agent.video.frames import i420, plain, rgba

COLOURS = [(200, 40, 40), (0, 0, 0), (255, 255, 255), (20, 180, 60), (30, 60, 220), (128, 128, 128), (250, 220, 0)]


def opened(frame: rtc.VideoFrame) -> Image.Image:
    return Image.open(io.BytesIO(jpeg(frame))).convert("RGB")


@pytest.mark.parametrize("colour", COLOURS)
def test_a_large_picture_is_made_smaller_and_keeps_its_shape_and_colour(colour: tuple[int, int, int]) -> None:
    image = opened(plain(1280, 720, colour))
    assert image.size == (640, 360)
    assert image.getpixel((320, 180)) == pytest.approx(colour, abs=4)


@pytest.mark.parametrize("size", [(1280, 720), (720, 1280), (641, 479), (640, 480), (65, 35), (1920, 1080)])
def test_what_is_where_stays_there_in_its_colour(size: tuple[int, int]) -> None:
    shown = Image.new("RGB", size, (30, 60, 220))
    shown.paste((250, 220, 0), (0, 0, size[0] // 2, size[1] // 2))
    shown.paste((200, 40, 40), (size[0] // 2, size[1] // 2, size[0], size[1]))
    made = opened(i420(shown))
    assert max(made.size) == min(640, max(size))
    expected = np.asarray(shown.resize(made.size, Image.Resampling.BICUBIC), float)
    assert np.abs(np.asarray(made, float) - expected).mean() < 10  # colours run into each other where two meet
    for x, y in ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)):
        at = int(x * made.width), int(y * made.height)
        where = int(x * size[0]), int(y * size[1])
        assert made.getpixel(at) == pytest.approx(shown.getpixel(where), abs=8)


def test_a_frame_that_no_room_gives_is_as_good() -> None:
    shown = Image.new("RGB", (64, 48), (20, 180, 60))
    assert np.array_equal(np.asarray(opened(rgba(shown))), np.asarray(opened(i420(shown))))


@pytest.mark.parametrize(
    ("size", "made"),
    [
        ((1920, 1080), (1024, 576)),
        ((3840, 2160), (1024, 576)),
        ((2560, 1080), (1184, 512)),
        ((1080, 1920), (576, 1024)),
        ((800, 600), (800, 600)),
    ],
)
def test_of_a_screen_all_that_the_model_can_see_is_sent_and_no_more(
    size: tuple[int, int], made: tuple[int, int]
) -> None:
    screen = SourcedFrame(plain(*size, (200, 40, 40)), "screen")
    assert opened(screen).size == made
    width, height = fitted(*made)
    assert (width, height) == fitted(*size), "as many tokens as if it had been sent whole"
