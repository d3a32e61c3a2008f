"""What becomes of a picture that a person sends."""

import io

import pytest
from PIL import Image

from agent.video.still import MOST_BYTES, PictureRefused, still

ORIENTATION = 0x0112  # of EXIF; 6: it lies on its side
RED = (220, 20, 20)


def file(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def seen(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(still(data)))
    assert image.format == "JPEG" and image.mode == "RGB"
    return image


def test_a_large_picture_is_made_smaller_and_a_small_one_is_left_as_it_is() -> None:
    assert seen(file(Image.new("RGB", (3_200, 1_000), RED))).size == (1_600, 500)
    assert seen(file(Image.new("RGB", (90, 60), RED), "WEBP")).size == (90, 60)


def test_a_picture_stands_upright_and_says_nothing_of_where_it_was_taken() -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif[0x010F] = "A camera"
    upright = seen(file(Image.new("RGB", (90, 60), RED), exif=exif))
    assert upright.size == (60, 90)
    assert not upright.getexif()


@pytest.mark.parametrize("mode", ["RGBA", "P", "LA"])
def test_what_one_sees_through_stands_on_white(mode: str) -> None:
    clear = Image.new("RGBA", (40, 40), (0, 0, 0, 0)).convert(mode)
    options = {"transparency": 0} if mode == "P" else {}
    assert seen(file(clear, "PNG", **options)).getextrema() == ((255, 255), (255, 255), (255, 255))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<svg/>", "it is none of JPEG, PNG, WEBP"),
        (b"", "it is none of JPEG, PNG, WEBP"),
        (file(Image.new("RGB", (64, 64), RED), "GIF"), "it is none of JPEG, PNG, WEBP"),
        (file(Image.effect_noise((640, 480), 50))[:20_000], "its file is broken"),
        (file(Image.new("RGB", (8, 400), RED)), "it has 8 x 400 pixels, which is too few"),
        (file(Image.new("1", (9_000, 9_000)), "PNG"), "it has 9000 x 9000 pixels, which is too many"),
        (b"x" * (MOST_BYTES + 1), "it has 8,388,609 bytes, of which 8,388,608 have room"),
    ],
)
def test_what_is_no_picture_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(PictureRefused) as refused:
        still(data)
    assert str(refused.value) == why
