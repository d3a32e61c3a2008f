"""A camera's frames become seconds of two frames, whatever the camera does."""

import asyncio
import io

import numpy as np
import pytest
from PIL import Image

from pipeline.clips import MOST_TOKENS, TOKEN_PX, Clip, Pixels, decoded, fitted, second
from pipeline.errors import RequestError
from pipeline.watching import WAITING, Seconds, Watching

Pair = tuple[int, int | None]


def frame(number: int) -> Pixels:
    return np.full((64, 64, 3), number, np.uint8)


def fed(*frames: tuple[int, float]) -> list[Pair]:
    """What closes when frames of these numbers come at these milliseconds; and what is open at the end."""
    seconds = Seconds()
    pairs = [pair for number, at_ms in frames for pair in seconds.feed(frame(number), at_ms)]
    return [(int(a[0, 0, 0]), None if b is None else int(b[0, 0, 0])) for a, b in [*pairs, *seconds.finish()]]


@pytest.mark.parametrize(
    ("frames", "pairs"),
    [
        ([(1, 0), (2, 500), (3, 1000), (4, 1500)], [(1, 2), (3, 4)]),
        ([(1, 40), (2, 700), (3, 990), (4, 1480)], [(1, 2), (3, 4)]),  # unsteady
        ([(1, 0), (2, 100), (3, 200), (4, 520), (5, 600), (6, 1000)], [(1, 4), (6, None)]),  # ten a second
        ([(1, 0), (3, 1000), (5, 2000)], [(1, None), (3, None), (5, None)]),  # one a second
        ([(1, 0), (9, 8500), (10, 9000)], [(1, None), (9, 10)]),  # it was away
        ([(1, 0), (2, 500), (8, 300), (7, 0), (3, 1000), (4, 1500)], [(1, 2), (3, 4)]),  # out of order
        ([(1, 900_000), (2, 900_500), (3, 0), (4, 500)], [(1, 2), (3, 4)]),  # its clock began anew
        ([], []),
    ],
)
def test_a_second_has_two_frames(frames: list[tuple[int, float]], pairs: list[Pair]) -> None:
    assert fed(*frames) == pairs


def test_a_frame_that_stands_alone_is_shown_twice() -> None:
    assert second("a", frame(3), None).pixels.tolist() == [frame(3).tolist()] * 2


def test_both_frames_of_a_second_have_the_size_of_the_first() -> None:
    assert second("a", frame(3), np.zeros((96, 32, 3), np.uint8)).pixels.shape == (2, 64, 64, 3)


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


async def test_a_camera_that_stops_leaves_no_second_open() -> None:
    seen: list[tuple[float, Clip]] = []
    loop = asyncio.get_running_loop()
    watching = Watching("s", lambda clip: seen.append((loop.time(), clip)), look)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(watching.watch())
        for _ in range(3):
            watching.see(b"1")
            await asyncio.sleep(0.5)
        await asyncio.sleep(10)
        watching.see(b"2")
        await asyncio.sleep(10)
        task.cancel()
    assert [at for at, _ in seen] == [0.5, 2.0, 12.5]
    assert len({clip.id for _, clip in seen}) == 3


async def test_a_frame_that_cannot_be_seen_is_left_out() -> None:
    seen: list[Clip] = []
    watching = Watching("s", seen.append, look)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(watching.watch())
        for data in (b"1", b"broken", b"2"):
            watching.see(data)
            await asyncio.sleep(0.25)
        task.cancel()
    assert [clip.pixels[:, 0, 0, 0].tolist() for clip in seen] == [[1, 2]]


async def test_if_frames_come_faster_than_they_are_looked_at_the_oldest_go() -> None:
    looked_at: list[bytes] = []

    async def slow(data: bytes) -> Pixels:
        await asyncio.sleep(1)
        looked_at.append(data)
        return frame(0)

    watching = Watching("s", lambda clip: None, slow)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(watching.watch())
        for number in range(100):
            watching.see(b"%d" % number)
        await asyncio.sleep(60)
        task.cancel()
    assert looked_at == [b"%d" % number for number in range(100 - WAITING, 100)]


async def look(data: bytes) -> Pixels:
    if not data.isdigit():
        raise RequestError("invalid_value", "not a picture", "image")
    return frame(int(data))


def picture(width: int, height: int, kind: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), (200, 200, 200)).save(file, kind)
    return file.getvalue()
