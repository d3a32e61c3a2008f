"""This module makes a picture that a person sends into one that the pipeline can be sent."""

import io

from PIL import Image, ImageOps, UnidentifiedImageError

MOST_BYTES = 8 * 1024 * 1024  # of a picture as it is sent
MOST_PIXELS = 50_000_000  # a telephone's camera takes so many
LONGEST_SIDE = 1_600  # pixels, as the pipeline is sent it
LEAST_SIDE = 16  # pixels: less is no picture of anything
JPEG_QUALITY = 85
FORMATS = ("JPEG", "PNG", "WEBP")


class PictureRefused(Exception):
    """A picture is not taken; says why, in words for whoever sent it."""


def still(data: bytes) -> bytes:
    """Return the picture as JPEG: upright, on white where one sees through it, at most 1,600 pixels long, and without
    what its file says of place and time. Takes up to a second: not for the event loop.

    Raises:
        PictureRefused: It is none, or is too large or too small.
    """
    if len(data) > MOST_BYTES:
        raise too_large(len(data))
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
        if image.width * image.height > MOST_PIXELS:
            raise PictureRefused(f"it has {image.width} x {image.height} pixels, which is too many")
        if min(image.size) < LEAST_SIDE:
            raise PictureRefused(f"it has {image.width} x {image.height} pixels, which is too few")
        return _jpeg(image)
    except Image.DecompressionBombError as error:
        raise PictureRefused("it has too many pixels") from error
    except UnidentifiedImageError as error:
        raise PictureRefused(f"it is none of {', '.join(FORMATS)}") from error
    except (OSError, SyntaxError, ValueError) as error:  # decoders raise these of a broken file
        raise PictureRefused("its file is broken") from error


def too_large(size: int) -> PictureRefused:
    """What is said of a picture of so many bytes."""
    return PictureRefused(f"it has {size:,} bytes, of which {MOST_BYTES:,} have room")


def _jpeg(image: Image.Image) -> bytes:
    image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
    upright = ImageOps.exif_transpose(image)
    upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    if upright.has_transparency_data:
        white = Image.new("RGBA", upright.size, "white")
        white.alpha_composite(upright.convert("RGBA"))
        upright = white
    out = io.BytesIO()
    upright.convert("RGB").save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()
