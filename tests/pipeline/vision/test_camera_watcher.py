"""A camera's pictures are looked at as they come, whatever they are."""

import asyncio
import io
import struct
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from PIL import ExifTags, Image

from pipeline.errors import RequestError
from pipeline.media.video_chunk import MOST_TOKENS, TOKEN_PX, Pixels, VideoChunk, decoded, fitted
from pipeline.vision.camera_watcher import SEEN_S, WAITING, CameraWatcher
from pipeline.vision.video_buffer import VideoBuffer

STORED = {  # how a camera that is held so stores what stands upright, by EXIF 2.3
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def frame(number: int) -> Pixels:
    return np.full((64, 64, 3), number, np.uint8)


@pytest.mark.parametrize(
    ("size", "tokens"), [((640, 480), 300), ((1, 1), 64), ((7680, 4320), 576), ((4320, 7680), 576), ((33, 3300), 103)]
)
def test_a_model_sees_pictures_of_its_sizes(size: tuple[int, int], tokens: int) -> None:
    width, height = fitted(*size)
    assert width % TOKEN_PX == height % TOKEN_PX == 0
    assert VideoChunk("a", tuple(np.zeros((1, height, width, 3), np.uint8))).tokens == tokens <= MOST_TOKENS


@pytest.mark.parametrize("size", [(1, 101), (9000, 20)])
def test_what_is_too_narrow_to_be_seen_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(RequestError, match="too narrow"):
        fitted(*size)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_pictures_are_decoded(kind: str) -> None:
    data = picture(320, 240, kind)
    assert decoded(data).shape == (256, 320, 3)
    assert abs(int(decoded(data).mean()) - 200) < 4


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_seen_upright_however_the_camera_was_held(orientation: int, kind: str) -> None:
    """A red corner in the upper left, and blue beside it."""
    upright = Image.new("RGB", (384, 256), (30, 30, 30))
    upright.paste((220, 0, 0), (0, 0, 64, 64))
    upright.paste((0, 0, 220), (320, 0, 384, 64))
    output = Image.Exif()
    output[ExifTags.Base.Orientation] = orientation
    back = STORED.get(orientation)
    pixels = decoded(in_a_file(upright if back is None else upright.transpose(back), kind, exif=output))
    assert pixels.shape == (256, 384, 3)
    corners = pixels[:48, :48].mean((0, 1)), pixels[:48, -48:].mean((0, 1))
    assert [int(corner.argmax()) for corner in corners] == [0, 2]
    assert min(corner.max() for corner in corners) > 180


@pytest.mark.parametrize("exif", [b"junk", b"Exif\0\0MM\0*\0\0"])
def test_a_picture_with_damaged_exif_is_seen_as_it_lies(exif: bytes) -> None:
    lying = Image.new("RGB", (384, 256), (200, 200, 200))
    assert decoded(in_a_file(lying, "PNG", exif=exif)).shape == (256, 384, 3)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_what_one_can_see_through_stands_on_white(mode: str) -> None:
    writing = Image.new("RGBA", (256, 256), (0, 0, 0, 0))
    writing.paste((0, 0, 0, 255), (0, 0, 128, 256))
    pixels = decoded(in_a_file(writing.convert(mode), "PNG"))
    assert pixels[:, :120].max() < 10
    assert pixels[:, 136:].min() > 245


def test_grey_in_16_bits_is_grey() -> None:
    ramp = np.tile(np.linspace(0, 65_535, 256).astype(np.uint16), (256, 1))
    pixels = decoded(in_a_file(Image.fromarray(ramp), "PNG"))
    assert np.abs(pixels[128, :, 0].astype(int) - np.arange(256)).max() <= 1


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8\xff\xe0 no jpeg"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(RequestError, match="not a picture"):
        decoded(data)


def test_a_picture_that_breaks_off_is_refused() -> None:
    data = picture(320, 240, "JPEG")
    with pytest.raises(RequestError, match="not a picture"):
        decoded(data[: len(data) // 2])


def test_a_picture_over_which_its_decoder_stumbles_is_refused() -> None:
    data = picture(320, 240, "PNG")
    empty_profile = struct.pack(">I", 0) + b"iCCP" + struct.pack(">I", crc32(b"iCCP"))  # behind the pixels
    with pytest.raises(RequestError, match="not a picture"):
        decoded(data[:-12] + empty_profile + data[-12:])


@dataclass
class Eyes:
    """Take each second as it closes, or leave it."""

    look_s: float = 0.0
    takes: bool = True
    taken: list[tuple[float, VideoChunk]] = field(default_factory=list)
    looked_at: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seconds = VideoBuffer("s")
        self.watching = CameraWatcher(self.seconds, self._decode_picture)

    def clips(self) -> list[VideoChunk]:
        return [clip for _, clip in self.taken]

    async def _watch(self) -> None:
        async with aclosing(self.watching.watch()) as frames:
            async for newest in frames:
                assert newest == self.seconds.newest
                if self.takes:
                    now = asyncio.get_running_loop().time()
                    self.taken += [(now, clip) for clip in self.seconds.take(self.seconds.closed)]
                    self.watching.check()

    async def _decode_picture(self, data: bytes) -> Pixels:
        await asyncio.sleep(self.look_s)
        self.looked_at.append(data)
        if not data.isdigit():
            raise RequestError("invalid_value", "not a picture", "image")
        return frame(int(data))

    @asynccontextmanager
    async def watch(self) -> AsyncGenerator[CameraWatcher, None]:
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(self._watch())
            yield self.watching
            task.cancel()


async def test_a_camera_that_stops_leaves_no_second_open() -> None:
    eyes = Eyes()
    async with eyes.watch() as watching:
        for _ in range(3):
            watching.see(b"1")
            await asyncio.sleep(0.5)
        await asyncio.sleep(10)
        watching.see(b"2")
        await asyncio.sleep(10)
    assert [at for at, _ in eyes.taken] == [0.5, 2.0, 12.5]
    assert len({clip.id for clip in eyes.clips()}) == 3


async def test_a_frame_that_begins_a_second_because_another_was_taken_leaves_none_open_either() -> None:
    eyes = Eyes(takes=False)
    async with eyes.watch() as watching:
        for _ in range(2):
            watching.see(b"1")
            await asyncio.sleep(0.5)
        eyes.seconds.take(eyes.seconds.newest._replace(number=0))
        watching.check()
        assert eyes.seconds.newest > eyes.seconds.closed
        await asyncio.sleep(0.51)
        assert eyes.seconds.newest == eyes.seconds.closed


async def test_a_frame_that_cannot_be_seen_is_left_out() -> None:
    eyes = Eyes()
    async with eyes.watch() as watching:
        for data in (b"1", b"broken", b"2"):
            watching.see(data)
            await asyncio.sleep(0.25)
    assert [np.asarray(clip.frames)[:, 0, 0, 0].tolist() for clip in eyes.clips()] == [[1, 2]]


async def test_if_frames_come_faster_than_they_are_looked_at_the_oldest_go() -> None:
    eyes = Eyes(look_s=1.0)
    async with eyes.watch() as watching:
        for number in range(100):
            watching.see(b"%d" % number)
        await asyncio.sleep(60)
    assert eyes.looked_at == [b"%d" % number for number in range(100 - WAITING, 100)]


async def test_what_is_asked_next_can_wait_until_all_frames_that_have_come_were_looked_at() -> None:
    eyes, loop = Eyes(look_s=0.1), asyncio.get_running_loop()
    async with eyes.watch() as watching:
        await watching.all_seen()
        assert loop.time() == 0.0
        for data in (b"1", b"broken", b"2"):
            watching.see(data)
        await asyncio.sleep(0.25)  # the last is being looked at
        await watching.all_seen()
        assert loop.time() == pytest.approx(0.3) and eyes.looked_at == [b"1", b"broken", b"2"]


async def test_nobody_waits_for_frames_for_long() -> None:
    eyes = Eyes(look_s=60.0)
    async with eyes.watch() as watching:
        watching.see(b"1")
        await watching.all_seen()
        assert asyncio.get_running_loop().time() == SEEN_S


async def test_a_decoder_that_breaks_stops_neither_the_camera_nor_who_waits_for_it() -> None:
    eyes = Eyes()

    async def breaks(data: bytes) -> Pixels:
        if data == b"breaks":
            raise IndexError
        return frame(1)

    eyes.watching = CameraWatcher(eyes.seconds, breaks)
    async with eyes.watch() as watching:
        for data in (b"breaks", b"1"):
            watching.see(data)
            await watching.all_seen()
    assert asyncio.get_running_loop().time() == 0.0 and eyes.seconds.newest.number == 0


def picture(width: int, height: int, kind: str) -> bytes:
    return in_a_file(Image.new("RGB", (width, height), (200, 200, 200)), kind)


def in_a_file(image: Image.Image, kind: str, **settings: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **settings)
    return file.getvalue()
