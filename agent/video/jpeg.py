"""This module makes a picture for the pipeline of a frame of a video.

A room's frames are I420, as is what JPEG holds: brightness at full size, two colours at half. So nothing is converted
to RGB and back, and of a camera with 1280 x 720 pixels the colours have the picture's size as they are.
"""

import io
import math
from collections.abc import Sequence

import numpy as np
from livekit import rtc
from PIL import Image

from agent.video.sourced_frame import source_of

LONGEST_SIDE = 640  # pixels of a camera's picture, as the pipeline is sent it
SCREEN_PX = 602_112  # of a screen's: as many as AURA sees, so that letters of 14 pixels at 1080p can be read
STEP_PX = 32  # its sides are multiples of it, as what the model sees: made smaller twice, letters blur
JPEG_QUALITY = 80
RESIZING = Image.Resampling.BICUBIC
REDUCING_GAP = 2.0  # as in Pillow's `thumbnail`: a large picture is halved first, which is fast
# A video's brightness is 16 to 235 and its colours 16 to 240 (ITU-R BT.601); JPEG's are 0 to 255 (JFIF 1.02).
BRIGHTNESS = [min(255, max(0, round((value - 16) * 255 / 219))) for value in range(256)]
COLOUR = [min(255, max(0, round((value - 128) * 255 / 224 + 128))) for value in range(256)]


def jpeg(frame: rtc.VideoFrame) -> bytes:
    """Return the frame as JPEG, with no more pixels than are seen. Takes milliseconds: not for the event loop."""
    size = _seen_size(frame)
    i420 = frame if frame.type == rtc.VideoBufferType.I420 else frame.convert(rtc.VideoBufferType.I420)
    brightness, *colours = _planes(i420)
    bands = [_made(brightness, size, BRIGHTNESS), *(_made(colour, size, COLOUR) for colour in colours)]
    out = io.BytesIO()
    Image.merge("YCbCr", bands).save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()


def screen_size(width: int, height: int) -> tuple[int, int]:
    """Return the width and the height of a large screen's picture, in pixels."""
    scale = math.sqrt(SCREEN_PX / (width * height)) / STEP_PX
    return max(1, round(width * scale)) * STEP_PX, max(1, round(height * scale)) * STEP_PX


def _seen_size(frame: rtc.VideoFrame) -> tuple[int, int]:
    width, height = frame.width, frame.height
    if source_of(frame) == "camera":
        scale = min(1.0, LONGEST_SIDE / max(width, height))
        return max(1, round(width * scale)), max(1, round(height * scale))
    return screen_size(width, height) if width * height > SCREEN_PX else (width, height)


def _planes(i420: rtc.VideoFrame) -> list[Image.Image]:
    """Its three planes; they share its memory."""
    width, height = i420.width, i420.height
    half = (width + 1) // 2, (height + 1) // 2
    rest, planes = np.frombuffer(i420.data, np.uint8), []
    for size in ((width, height), half, half):
        plane, rest = np.split(rest, [math.prod(size)])
        planes.append(Image.frombuffer("L", size, plane, "raw", "L", 0, 1))
    return planes


def _made(plane: Image.Image, size: tuple[int, int], levels: Sequence[int]) -> Image.Image:
    sized = plane if plane.size == size else plane.resize(size, RESIZING, reducing_gap=REDUCING_GAP)
    return sized.point(levels)
