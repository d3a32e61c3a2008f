"""A file in place of a camera."""

import asyncio
import io
from pathlib import Path

import av
import numpy as np
import pytest
from livekit import rtc
from PIL import ExifTags, Image

from agent.console.audio import write_wav
from agent.console.camera import LONGEST_SIDE, FilmCamera, PictureCamera, file_camera
from agent.video.jpeg import jpeg

pytestmark = pytest.mark.anyio

FRAMES_PER_S = 10
SECONDS = 2


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["mp4", "y4m"])
def film(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Two seconds that grow from black to white."""
    path = tmp_path / f"film.{request.param}"
    with av.open(str(path), "w", format="yuv4mpegpipe" if request.param == "y4m" else None) as container:
        codec = "wrapped_avframe" if request.param == "y4m" else "mpeg4"
        stream = container.add_stream(codec, rate=FRAMES_PER_S)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(FRAMES_PER_S * SECONDS):
            pixels = np.full((48, 64, 3), number * 255 // (FRAMES_PER_S * SECONDS), np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    return path


def picture(frame: rtc.VideoFrame) -> Image.Image:
    """As the pipeline is sent it."""
    return Image.open(io.BytesIO(jpeg(frame)))


def brightness(frame: rtc.VideoFrame) -> float:
    return float(np.asarray(picture(frame)).mean())


async def test_a_picture_is_shown_again_and_again_no_larger_than_cameras_give(tmp_path: Path) -> None:
    Image.new("RGB", (3_001, 1_000), (200, 100, 50)).save(tmp_path / "picture.png")
    camera = file_camera(tmp_path / "picture.png")
    assert isinstance(camera, PictureCamera) and camera.size == (LONGEST_SIDE, 426)
    began = asyncio.get_running_loop().time()
    frames = [await anext(camera) for _ in range(4)]
    assert asyncio.get_running_loop().time() - began > 0.55
    for frame in frames:
        assert picture(frame).getpixel((100, 100)) == pytest.approx((200, 100, 50), abs=4)


async def test_a_film_is_shown_at_its_pace_and_then_again(film: Path) -> None:
    camera = file_camera(film)
    assert isinstance(camera, FilmCamera) and camera.size == (64, 48)
    began = asyncio.get_running_loop().time()
    shown = []
    for _ in range(12):
        shown.append(brightness(await anext(camera)))
        if len(shown) == 10:
            assert asyncio.get_running_loop().time() - began > 1.75
    assert shown[:10] == sorted(shown[:10]) and shown[9] - shown[0] > 150
    assert shown[10:] == pytest.approx(shown[:2], abs=2)


async def test_a_film_of_one_picture_is_shown_as_often_as_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "photo.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=FRAMES_PER_S)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        container.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")))
        container.mux(stream.encode())
    camera = file_camera(path)
    assert isinstance(camera, FilmCamera)
    began = asyncio.get_running_loop().time()
    for _ in range(4):
        await anext(camera)
    assert asyncio.get_running_loop().time() - began > 0.55


def test_a_photo_is_shown_upright_as_its_camera_says(tmp_path: Path) -> None:
    photo = Image.new("RGB", (80, 60), "white")
    exif = photo.getexif()
    exif[ExifTags.Base.Orientation] = 6  # its top is on the right
    photo.save(tmp_path / "photo.jpg", exif=exif)
    assert file_camera(tmp_path / "photo.jpg").size == (60, 80)


@pytest.mark.parametrize(
    ("content", "fault"), [(b"not a picture", "neither a picture nor a film"), (None, "No such file or directory")]
)
async def test_what_is_neither_picture_nor_film_is_named(tmp_path: Path, content: bytes | None, fault: str) -> None:
    path = tmp_path / "thing.png"
    if content:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"thing\.png: {fault}"):
        file_camera(path)


async def test_a_recording_without_pictures_is_no_film(tmp_path: Path) -> None:
    write_wav(tmp_path / "sound.wav", bytes(48_000))
    with pytest.raises(ValueError, match="neither a picture nor a film"):
        file_camera(tmp_path / "sound.wav")
