"""Pictures as a model sees them: of its sizes, each under a name of its own."""

import io
import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps

from pipeline.errors import RequestError

Pixels = NDArray[np.uint8]
VideoSource = Literal["camera", "screen"]  # what took a picture: a camera, or a screen that is shared

TOKEN_PX = 32  # a token's side: 2 x 2 patches of 16 pixels
MOST_PX = 602_112  # of a frame
MOST_TOKENS = MOST_PX // TOKEN_PX**2
LEAST_PX = 65_536  # of a picture, for the model; a smaller one is enlarged
MOST_ASPECT = 100  # how many times longer than the other a side may be
MOST_DECODED_PX = 64_000_000  # more than an 8K frame has
GREY16 = ("I;16", "I;16L", "I;16B", "I;16N")  # Pillow's names of grey in 16 bits


@dataclass(frozen=True, slots=True)
class VideoChunk:
    """A picture, or a second of video. Two of one name are the same.

    Attributes:
        id: Names it in an engine's caches, so that it is processed once.
        frames: uint8 RGB, each of shape [height, width, 3]: one is a picture, two are a second. Both sides are
            multiples of `TOKEN_PX`.
        source: What took it; all frames of a second are of one source.
    """

    id: str
    frames: tuple[Pixels, ...] = field(compare=False, repr=False)
    source: VideoSource = "camera"

    @property
    def moves(self) -> bool:
        return len(self.frames) > 1

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        height, width, _ = self.frames[0].shape
        return height, width

    @property
    def tokens(self) -> int:
        """Two frames become as many tokens as one."""
        height, width = self.size
        return (height // TOKEN_PX) * (width // TOKEN_PX)


def fitted(width: int, height: int) -> tuple[int, int]:
    """The size at which a model sees a picture: about its shape, and within the limits.

    Raises:
        RequestError: It is too narrow to be seen.
    """
    if max(width, height) > MOST_ASPECT * min(width, height):
        raise RequestError("invalid_value", f"image: {width} x {height} is too narrow to be seen", "image")
    scale = min(1.0, math.sqrt(MOST_PX / (width * height)))
    scale = max(scale, math.sqrt(LEAST_PX / (width * height)))
    sides = [max(1, round(side * scale / TOKEN_PX)) for side in (width, height)]
    most, least = MOST_PX // TOKEN_PX**2, LEAST_PX // TOKEN_PX**2
    while sides[0] * sides[1] > most:
        sides[sides[1] > sides[0]] -= 1
    while sides[0] * sides[1] < least:
        sides[sides[1] > sides[0]] += 1
    return sides[0] * TOKEN_PX, sides[1] * TOKEN_PX


def decoded(data: bytes) -> Pixels:
    """A picture in a file's form → uint8 RGB, shape [height, width, 3], fitted. Takes milliseconds: not for a loop.

    It stands as its EXIF says, and on white where one can see through it.

    Raises:
        RequestError: It is no picture, or damaged, too large or too narrow.
    """
    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.width * image.height > MOST_DECODED_PX:
                raise RequestError("invalid_value", f"image: {image.width} x {image.height} is too large", "image")
            size = fitted(*image.size)
            image.draft("RGB", size)
            return _upright(sized(np.asarray(_opaque(image)), size), image)
    except RequestError:
        raise
    except Exception as error:  # a file that is damaged has decoders raise whatever they stumble over
        raise RequestError("invalid_value", f"image: not a picture: {error}", "image") from error


def _opaque(image: Image.Image) -> Image.Image:
    """RGB; Pillow's own conversion makes black of what one can see through, and white of most grey in 16 bits."""
    if image.mode in GREY16:
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if not image.has_transparency_data:
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    white.alpha_composite(image.convert("RGBA"))
    return white.convert("RGB")


def _upright(pixels: Pixels, image: Image.Image) -> Pixels:
    """Turned as the EXIF of `image` says; if that is damaged, as it lies."""
    try:
        output = image.getexif().get(ExifTags.Base.Orientation, 1)
        if output == 1:
            return pixels
        shown = Image.fromarray(pixels)
        shown.getexif()[ExifTags.Base.Orientation] = output
        return np.asarray(ImageOps.exif_transpose(shown))
    except Exception:  # EXIF that is damaged raises whatever it stumbles over
        return pixels


def sized(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    """uint8 RGB, shape [height, width, 3], with another width and height."""
    if pixels.shape[1::-1] == size:
        return pixels
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BICUBIC))


def second(clip_id: str, first: Pixels, then: Pixels | None, source: VideoSource = "camera") -> VideoChunk:
    """One second of two frames, each of shape [height, width, 3]; a frame that stands alone is shown twice."""
    then = first if then is None else sized(then, (first.shape[1], first.shape[0]))
    return VideoChunk(clip_id, (first, then), source)
