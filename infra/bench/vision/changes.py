"""What cameras do to pictures: they are blurred by motion, small, turned or dark. Pure."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from pipeline.media.video_chunk import Pixels, fitted, sized

BLUR = 9  # pixels of a picture 640 wide over which motion blurs it
DARK = 0.25  # of the light


def blurred(pixels: Pixels) -> Pixels:
    """Moved sideways while it was taken."""
    reach = max(3, round(BLUR * pixels.shape[1] / 640)) | 1
    shifted = [np.roll(pixels, by, 1) for by in range(-(reach // 2), reach // 2 + 1)]
    mean: NDArray[np.float64] = np.mean(shifted, axis=0)
    return mean.astype(np.uint8)


def defocused(pixels: Pixels) -> Pixels:
    return np.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(2.0 * pixels.shape[1] / 640)))


def half_size(pixels: Pixels) -> Pixels:
    """As from a camera of half as many pixels on each side, and enlarged again where it is too small for a model."""
    height, width = pixels.shape[:2]
    small = sized(pixels, (max(1, width // 2), max(1, height // 2)))
    return sized(small, fitted(small.shape[1], small.shape[0]))


def turned(pixels: Pixels) -> Pixels:
    """By 90 degrees."""
    return np.ascontiguousarray(np.rot90(pixels))


def dark(pixels: Pixels) -> Pixels:
    return (pixels * DARK).astype(np.uint8)


CHANGES: Mapping[str, Callable[[Pixels], Pixels]] = {
    "as it is": lambda pixels: pixels,
    "motion blur": blurred,
    "out of focus": defocused,
    "half size": half_size,
    "turned by 90°": turned,
    "dark": dark,
}
