"""A camera that films a wall, which a lamp lights or not."""

import asyncio

import numpy as np
from livekit import rtc

from infra.bench.person.camera import FRAMES_PER_S, HEIGHT, WIDTH
from tests.e2e.vllm.obedient import DARK


class Lamp:
    """The camera.

    Attributes:
        light: Of every pixel, from now on.
    """

    def __init__(self) -> None:
        self.source = rtc.VideoSource(WIDTH, HEIGHT)
        self.light = DARK

    async def run(self) -> None:
        while True:
            picture = np.full((HEIGHT, WIDTH, 4), self.light, np.uint8)
            self.source.capture_frame(rtc.VideoFrame(WIDTH, HEIGHT, rtc.VideoBufferType.RGBA, picture.tobytes()))
            await asyncio.sleep(1 / FRAMES_PER_S)
