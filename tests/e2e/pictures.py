"""Pictures to hold into a camera, and a camera that shows them."""

import asyncio
from pathlib import Path

import numpy as np
from livekit import rtc
from PIL import Image, ImageDraw, ImageFont

from infra.bench.person.camera import FRAMES_PER_S
from infra.bench.vision.photos import aura_home, photo_shelf, read_photos

WIDTH, HEIGHT = 640, 480
WALL, FLOOR, EDGE = (205, 200, 190), (140, 110, 80), (90, 80, 70)
LETTERS = 44  # pixels of a line on a page
FILM_FRAMES = 10  # of a Y4M


def photo(name: str) -> Image.Image:
    """A photo that a package ships, by its name in `infra/bench/vision/photos.toml`."""
    known = read_photos()
    (wanted,) = [each for each in known.photos if each.name == name]
    return Image.open(photo_shelf(aura_home()).photos([wanted], known.packages)[name]).convert("RGB")


def empty_room() -> Image.Image:
    """A wall and a floor."""
    room = Image.new("RGB", (WIDTH, HEIGHT), WALL)
    draw = ImageDraw.Draw(room)
    draw.rectangle((0, 360, WIDTH, HEIGHT), FLOOR)
    draw.line((0, 360, WIDTH, 360), EDGE, 4)
    return room


def somebody() -> Image.Image:
    """A person, who fills three quarters of the picture."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), WALL)
    picture.paste(photo("astronaut").resize((480, 480)), (0, 0))
    return picture


def holding(thing: Image.Image) -> Image.Image:
    """The same person beside something."""
    picture = somebody()
    picture.paste(thing.resize((260, 200)), (380, 200))
    return picture


def written_page(*lines: str) -> Image.Image:
    """A white page with black letters."""
    page = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        draw.text((40, 60 + number * 70), line, "black", ImageFont.load_default(LETTERS))
    return page


def y4m(path: Path, picture: Image.Image) -> Path:
    """A film of one picture that stays: YUV 4:2:0, as https://wiki.multimedia.cx/index.php/YUV4MPEG2 has it."""
    luma, blue, red = picture.resize((WIDTH, HEIGHT)).convert("YCbCr").split()
    half = (WIDTH // 2, HEIGHT // 2)
    frame = b"FRAME\n" + luma.tobytes() + blue.resize(half).tobytes() + red.resize(half).tobytes()
    path.write_bytes(
        f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{FRAMES_PER_S}:1 Ip A1:1 C420jpeg\n".encode() + frame * FILM_FRAMES
    )
    return path


class ShowingCamera:
    """Films a picture; another one may be put in its place at any time."""

    def __init__(self, picture: Image.Image) -> None:
        self.source = rtc.VideoSource(WIDTH, HEIGHT)
        self.show(picture)

    def show(self, picture: Image.Image) -> None:
        pixels = np.asarray(picture.resize((WIDTH, HEIGHT)).convert("RGBA"))
        self._frame = rtc.VideoFrame(WIDTH, HEIGHT, rtc.VideoBufferType.RGBA, pixels.tobytes())

    async def run(self) -> None:
        while True:
            self.source.capture_frame(self._frame)
            await asyncio.sleep(1 / FRAMES_PER_S)
