"""Whether a picture shows anything, and whether two are alike."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.engines.image_recognition.scene_memory import MOST_SCENES, Scene, SceneMemory
from pipeline.engines.image_recognition.thumbnail import are_alike, brightened, is_blank, thumbnail

NOISE = np.random.default_rng(1)


def scene(seed: int = 2) -> NDArray[np.uint8]:
    blocks = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), np.uint8)
    return blocks.repeat(60, 0).repeat(80, 1)


def noisy(pixels: NDArray[np.uint8], levels: float) -> NDArray[np.uint8]:
    return np.clip(pixels + NOISE.normal(0, levels, pixels.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("level", [0, 10, 128, 255])
def test_one_colour_is_blank_with_a_cameras_noise_too(level: int) -> None:
    plain = np.full((480, 640, 3), level, np.uint8)
    assert is_blank(thumbnail(plain))
    assert is_blank(thumbnail(noisy(plain, 6)))


def test_what_is_all_but_black_is_blank_whatever_is_in_it() -> None:
    assert is_blank(thumbnail((scene() // 18).astype(np.uint8)))


def test_a_scene_is_not_blank_however_small_it_is() -> None:
    assert not is_blank(thumbnail(scene()))
    assert not is_blank(thumbnail(scene()[::60, ::80]))
    assert is_blank(thumbnail(np.zeros((1, 1, 3), np.uint8)))


def test_noise_and_a_little_light_leave_a_scene_alike_and_another_scene_does_not() -> None:
    before = thumbnail(scene())
    assert are_alike(before, thumbnail(noisy(scene(), 8)))
    assert are_alike(before, thumbnail(np.clip(scene().astype(int) + 3, 0, 255).astype(np.uint8)))
    assert not are_alike(before, thumbnail(scene(3)))


def test_a_line_of_text_that_appears_is_a_change() -> None:
    page = np.full((480, 640, 3), 250, np.uint8)
    page[:100, :100] = 0
    written = page.copy()
    written[200:230, 100:400:4] = 0
    written[200:230, 101:400:4] = 0
    assert not are_alike(thumbnail(page), thumbnail(written))


def test_dim_pictures_are_brightened_and_others_left_alone() -> None:
    dim = (scene() * 0.25).astype(np.uint8)
    brighter = brightened(dim, thumbnail(dim))
    assert brighter.dtype == np.uint8
    assert 180 < np.percentile(thumbnail(brighter), 99) <= 210
    assert brightened(scene(), thumbnail(scene())).tolist() == scene().tolist()


def test_the_newest_scenes_are_remembered_and_none_of_nobody() -> None:
    scenes = SceneMemory()
    small = thumbnail(scene())
    scenes.keep("", Scene(small))
    assert len(scenes) == 0
    for number in range(MOST_SCENES + 5):
        scenes.keep(f"caller {number}", Scene(small, text=str(number)))
    assert len(scenes) == MOST_SCENES
    assert scenes.of("caller 0") is None
    newest = scenes.of(f"caller {MOST_SCENES + 4}")
    assert newest
    assert newest.text == str(MOST_SCENES + 4)
