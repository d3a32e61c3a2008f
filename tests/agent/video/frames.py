"""Frames of a video, as a room gives them."""

import numpy as np
from livekit import rtc
from PIL import Image


def plain(width: int, height: int, rgb: tuple[int, int, int]) -> rtc.VideoFrame:
    """A frame of one colour."""
    return i420(Image.new("RGB", (width, height), rgb))


def i420(image: Image.Image) -> rtc.VideoFrame:
    """A frame that shows a picture."""
    return rgba(image).convert(rtc.VideoBufferType.I420)


def rgba(image: Image.Image) -> rtc.VideoFrame:
    """The same, as no room gives it."""
    pixels = np.asarray(image.convert("RGBA"))
    return rtc.VideoFrame(image.width, image.height, rtc.VideoBufferType.RGBA, pixels.tobytes())
