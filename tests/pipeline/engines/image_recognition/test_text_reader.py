"""What the reader of text is shown, and what is made of what it says."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from pipeline.engines.image_recognition.text.text_boxes import TextBox
from pipeline.engines.image_recognition.text.text_reader import (
    TextLine,
    as_text,
    characters_of,
    is_legible,
    normalised,
    straightened,
)

ALPHABET = ["", "a", "b", " "]


def steps(*best: int, probability: float = 0.9) -> NDArray[np.float32]:
    said = np.full((len(best), len(ALPHABET)), 0.01, np.float32)
    said[np.arange(len(best)), best] = probability
    return said


def test_repeats_count_once_and_a_blank_parts_them() -> None:
    text, confidence = characters_of(steps(1, 1, 0, 1, 2, 2, 0), ALPHABET)
    assert text == "aab"
    assert confidence == pytest.approx(0.9)
    assert characters_of(steps(0, 0), ALPHABET) == ("", 0.0)
    assert characters_of(steps(1, 0, 2, 1), ALPHABET)[0] == "aba", "the last one is not before the first"


def test_pixels_become_bgr_between_minus_one_and_one() -> None:
    made = normalised(np.array([[[255, 127.5, 0]]], np.uint8))
    assert made.shape == (1, 3, 1, 1)
    assert made.ravel().tolist() == pytest.approx([-1, 0, 1], abs=0.01)


@pytest.mark.parametrize("degrees", [0, 25, 90, -90])
def test_a_line_is_straightened_from_its_left_to_its_right(degrees: float) -> None:
    box = TextBox(100, 100, 80, 20, math.radians(degrees))
    image = Image.new("RGB", (200, 200), "white")
    left = box.corners()[:2].mean(0) * 0.75 + box.corners()[2:].mean(0) * 0.25
    x, y = map(int, left)
    image.paste("black", (x - 4, y - 4, x + 4, y + 4))
    line = straightened(image, box)
    assert line.shape == (20, 80, 3)
    assert line[10, 20].max() < 100
    assert line[10, 60].min() > 200


def test_short_lines_need_to_be_sure() -> None:
    assert is_legible("STOP", 0.6)
    assert not is_legible("OK", 0.7)
    assert is_legible("OK", 0.95)
    assert not is_legible("--- ", 0.99)


def test_rows_are_joined_as_people_read_them() -> None:
    lines = [
        TextLine(TextBox(x, y, 80, 20, 0), text, 0.9) for x, y, text in [(50, 60, "c"), (150, 11, "b"), (50, 10, "a ")]
    ]
    assert as_text(lines) == "a b\nc"
    assert as_text([]) == ""
