"""The real models that look at pictures: what is in photos that packages ship, and in pictures that are drawn here."""

import os
import shutil
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from infra.bench.vision.photos import PhotosMissing, aura_home, photo_shelf, read_photos
from pipeline.engines.image_recognition.engine import NICENESS, ImageRecognitionEngine
from pipeline.errors import ConfigError
from pipeline.media.video_chunk import Pixels, VideoChunk, decoded
from pipeline.types.observation import Observation, RecognitionPrompt
from tests.contract.embedded import MODULE_BACKEND, all_of, seconds_to_close

pytestmark = [pytest.mark.contract, pytest.mark.anyio]

KNOWN = read_photos()
# What any processor sees in them; the bench (`python -m infra.bench.vision`) has many more.
SHOWN = ("cat", "cup of coffee", "astronaut", "photographer", "motorcycle", "rocket", "temple", "officer")
READ = ("page of a manual",)
MOST_MB = 600
NUMBERS = count()
SENTENCES = ("The museum opens at nine", "Please close the door", "Platform 7 to London")


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return MODULE_BACKEND


@pytest.fixture(scope="module")
def photos() -> dict[str, Pixels]:
    wanted = [photo for photo in KNOWN.photos if photo.name in (*SHOWN, *READ)]
    try:
        files = photo_shelf(aura_home()).photos(wanted, KNOWN.packages)
    except PhotosMissing as reason:
        pytest.skip(str(reason))
    return {name: decoded(file.read_bytes()) for name, file in files.items()}


async def seen(eyes: ImageRecognitionEngine, pixels: Pixels, *, read: bool = False, salt: str = "") -> Observation:
    chunk = VideoChunk(f"picture {next(NUMBERS)}", (pixels,))
    (observation,) = await all_of(eyes, RecognitionPrompt((chunk,), read, salt))
    return observation


def peak_mb(pid: int) -> float:
    """The most memory that it has had resident."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def written(text: str, *, size: int = 44) -> Pixels:
    """A line of print in the upper half of a page."""
    page = Image.new("RGB", (832, 480), (246, 244, 238))
    ImageDraw.Draw(page).text((60, 120), text, (25, 25, 30), ImageFont.load_default(size))
    return np.asarray(page)


def test_the_photos_are_free_many_and_each_with_a_question() -> None:
    assert len(KNOWN.photos) >= 30
    assert all(KNOWN.packages[photo.package].licence for photo in KNOWN.photos)
    assert len({photo.name for photo in KNOWN.photos}) == len(KNOWN.photos)
    assert all(photo.accept and (photo.shows or photo.text) for photo in KNOWN.photos)


@pytest.mark.parametrize("name", SHOWN)
async def test_the_main_thing_in_a_photo_is_named(
    eyes: ImageRecognitionEngine, photos: dict[str, Pixels], name: str
) -> None:
    photo = next(each for each in KNOWN.photos if each.name == name)
    things = (await seen(eyes, photos[name])).things
    assert photo.is_named(thing.name for thing in things), things


@pytest.mark.parametrize("name", READ)
async def test_a_page_in_a_photo_is_read(eyes: ImageRecognitionEngine, photos: dict[str, Pixels], name: str) -> None:
    photo = next(each for each in KNOWN.photos if each.name == name)
    text = (await seen(eyes, photos[name], read=True)).text
    assert photo.is_read(text), text


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("read", [False, True])
async def test_a_line_of_print_is_read_word_for_word(eyes: ImageRecognitionEngine, text: str, read: bool) -> None:
    assert (await seen(eyes, written(text), read=read)).text == text


@pytest.mark.parametrize("quarters", [1, 2, 3])
async def test_a_page_that_lies_on_its_side_or_its_head_is_read(eyes: ImageRecognitionEngine, quarters: int) -> None:
    page = np.ascontiguousarray(np.rot90(written(SENTENCES[0]), quarters))
    assert (await seen(eyes, page, read=True)).text == SENTENCES[0]


@pytest.mark.parametrize("colour", [(0, 0, 0), (255, 255, 255), (90, 30, 40)])
async def test_nothing_is_seen_where_nothing_is(eyes: ImageRecognitionEngine, colour: tuple[int, int, int]) -> None:
    plain = np.full((480, 640, 3), colour, np.uint8)
    assert await seen(eyes, plain, read=True) == Observation(is_blank=True)


@pytest.mark.parametrize("shape", [(1, 1), (1, 99), (2_000, 20), (4_320, 7_680)])
async def test_a_picture_of_any_shape_is_survived(eyes: ImageRecognitionEngine, shape: tuple[int, int]) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (*shape, 3), np.uint8)
    await seen(eyes, noise)


async def test_who_stops_asking_is_free_at_once_and_the_engine_soon_idle(eyes: ImageRecognitionEngine) -> None:
    page = VideoChunk("long page", (np.concatenate([written(" ".join(SENTENCES), size=20)[:160]] * 5),))
    assert await seconds_to_close(eyes, RecognitionPrompt((page,), read=True), 0.05) < 2


async def test_the_process_yields_to_whatever_makes_sound_and_its_memory_stays_small(
    eyes: ImageRecognitionEngine,
) -> None:
    assert os.getpriority(os.PRIO_PROCESS, eyes.pid) >= NICENESS
    assert peak_mb(eyes.pid) < MOST_MB


async def test_a_damaged_model_is_told_and_not_opened(models_dir: Path, tmp_path: Path) -> None:
    for name in ("yolox-nano", "efficientnet-lite3", "pp-ocrv6-small"):
        shutil.copytree(models_dir / name, tmp_path / name)
    (tmp_path / "yolox-nano" / "model.onnx").write_bytes(b"\x00" * 1000)
    with pytest.raises(ConfigError, match="vision: "):
        await ImageRecognitionEngine.open(tmp_path)
