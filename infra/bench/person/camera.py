"""A camera that films a clock: a bright square whose place says when a picture was taken."""

import asyncio
import io
from typing import Protocol

import numpy as np
from livekit import rtc
from PIL import Image

WIDTH, HEIGHT = 640, 360
FRAMES_PER_S = 15
SIDE = 60  # of the square, in pixels
SWEEP_S = 8.0  # in which the square crosses the picture, from left to right
ROWS = 5  # it sweeps one row after the other, from the top
AROUND_S = SWEEP_S * ROWS  # then it starts again
DARK, BRIGHT = 30, 230


class FilmingCamera(Protocol):
    """Films something."""

    @property
    def source(self) -> rtc.VideoSource: ...

    async def run(self) -> None:
        """Feed the source until cancelled."""
        ...


class ClockCamera:
    """Feeds a video source for as long as `run` does."""

    def __init__(self) -> None:
        self.source = rtc.VideoSource(WIDTH, HEIGHT)

    async def run(self) -> None:
        clock = asyncio.get_running_loop().time
        due = clock()
        while True:
            picture = np.full((HEIGHT, WIDTH, 4), DARK, np.uint8)
            left, top = place(clock())
            picture[top : top + SIDE, left : left + SIDE] = BRIGHT
            self.source.capture_frame(rtc.VideoFrame(WIDTH, HEIGHT, rtc.VideoBufferType.RGBA, picture.tobytes()))
            due += 1 / FRAMES_PER_S
            await asyncio.sleep(due - clock())


def place(moment: float) -> tuple[int, int]:
    """Where the square is at a moment: pixels from the left and from the top."""
    row, column = divmod(moment % AROUND_S, SWEEP_S)
    return round(column / SWEEP_S * (WIDTH - SIDE)), round(row * (HEIGHT - SIDE) / (ROWS - 1))


def age(jpeg: bytes, now: float) -> float:
    """How many seconds before `now` a picture was taken, at most `AROUND_S`.

    Raises:
        AssertionError: It does not show the square.
    """
    image = Image.open(io.BytesIO(jpeg)).convert("L")
    bright = np.asarray(image) > (DARK + BRIGHT) // 2
    assert bright.sum() > 100, f"no square in a picture of {image.size}"
    down, across = np.nonzero(bright)
    left = across.mean() * WIDTH / image.width - SIDE / 2
    top = down.mean() * HEIGHT / image.height - SIDE / 2
    row = round(top * (ROWS - 1) / (HEIGHT - SIDE))
    taken = row * SWEEP_S + left / (WIDTH - SIDE) * SWEEP_S
    return float((now - taken) % AROUND_S)
