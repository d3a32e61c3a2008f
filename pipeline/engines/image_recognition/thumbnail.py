"""Says cheaply whether a picture shows anything, how dark it is, and whether it is like another one. Pure."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pipeline.media.video_chunk import Pixels

SIDE = 32
DARK = 16  # grey level below which all of it is black
DIM = 110  # grey level of the brightest parts below which it is brightened …
BRIGHT = 200  # … to this one
FLAT = 12  # grey levels between the darkest and the brightest parts of one colour
ALIKE = 4.0  # grey levels by which the parts of pictures of one still scene differ in the mean
ALIKE_ANYWHERE = 60.0  # and at most: a line of text that appears changes a few parts by much

Thumbnail = NDArray[np.float32]


def thumbnail(pixels: Pixels) -> Thumbnail:
    """Grey means [SIDE, SIDE] of a picture, as far as it is so large: noise of a camera is gone in them."""
    grey = Image.fromarray(pixels).convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(grey, np.float32)


def is_blank(small: Thumbnail) -> bool:
    """True if it is black, or all of one colour: a lens that is covered, a camera that is off."""
    darkest, brightest = np.percentile(small, (1, 99))
    return bool(brightest < DARK or brightest - darkest < FLAT)


def brightened(pixels: Pixels, small: Thumbnail) -> Pixels:
    """A dim picture as if there were enough light; any other one as it is."""
    brightest = float(np.percentile(small, 99))
    if brightest >= DIM:
        return pixels
    levels = np.minimum(np.arange(256) * (BRIGHT / max(brightest, 1.0)), 255).astype(np.uint8)
    return np.asarray(levels[pixels])


def are_alike(one: Thumbnail, other: Thumbnail) -> bool:
    """True if nothing of note has changed between them."""
    difference = np.abs(one - other)
    return bool(difference.mean() < ALIKE and difference.max() < ALIKE_ANYWHERE)
