"""A camera's pictures are looked at as they come, whatever they are."""

import asyncio
import io
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from PIL import Image

from pipeline.clips import MOST_TOKENS, TOKEN_PX, Clip, Pixels, decoded, fitted
from pipeline.errors import RequestError
from pipeline.seconds import Seconds
from pipeline.watching import WAITING, Watching


def frame(number: int) -> Pixels:
    return np.full((64, 64, 3), number, np.uint8)


@pytest.mark.parametrize(
    ("size", "tokens"), [((640, 480), 300), ((1, 1), 64), ((7680, 4320), 576), ((4320, 7680), 576), ((33, 3300), 103)]
)
def test_a_model_sees_pictures_of_its_sizes(size: tuple[int, int], tokens: int) -> None:
    width, height = fitted(*size)
    assert width % TOKEN_PX == height % TOKEN_PX == 0
    assert Clip("a", np.zeros((1, height, width, 3), np.uint8)).tokens == tokens <= MOST_TOKENS


@pytest.mark.parametrize("size", [(1, 101), (9000, 20)])
def test_what_is_too_narrow_to_be_seen_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(RequestError, match="too narrow"):
        fitted(*size)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_pictures_are_decoded(kind: str) -> None:
    data = picture(320, 240, kind)
    assert decoded(data).shape == (256, 320, 3)
    assert abs(int(decoded(data).mean()) - 200) < 4


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8\xff\xe0 no jpeg"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(RequestError, match="not a picture"):
        decoded(data)


def test_a_picture_that_breaks_off_is_refused() -> None:
    data = picture(320, 240, "JPEG")
    with pytest.raises(RequestError, match="not a picture"):
        decoded(data[: len(data) // 2])


@dataclass
class Eyes:
    """Take each second as it closes, or leave it."""

    look_s: float = 0.0
    takes: bool = True
    taken: list[tuple[float, Clip]] = field(default_factory=list)
    looked_at: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seconds = Seconds("s")
        self.watching = Watching(self.seconds, self._seen, self._look)

    def clips(self) -> list[Clip]:
        return [clip for _, clip in self.taken]

    def _seen(self) -> None:
        if not self.takes:
            return
        now = asyncio.get_running_loop().time()
        self.taken += [(now, clip) for clip in self.seconds.take(self.seconds.closed)]
        self.watching.check()

    async def _look(self, data: bytes) -> Pixels:
        await asyncio.sleep(self.look_s)
        self.looked_at.append(data)
        if not data.isdigit():
            raise RequestError("invalid_value", "not a picture", "image")
        return frame(int(data))

    @asynccontextmanager
    async def watch(self) -> AsyncGenerator[Watching, None]:
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(self.watching.watch())
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
    assert [clip.pixels[:, 0, 0, 0].tolist() for clip in eyes.clips()] == [[1, 2]]


async def test_if_frames_come_faster_than_they_are_looked_at_the_oldest_go() -> None:
    eyes = Eyes(look_s=1.0)
    async with eyes.watch() as watching:
        for number in range(100):
            watching.see(b"%d" % number)
        await asyncio.sleep(60)
    assert eyes.looked_at == [b"%d" % number for number in range(100 - WAITING, 100)]


def picture(width: int, height: int, kind: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), (200, 200, 200)).save(file, kind)
    return file.getvalue()
