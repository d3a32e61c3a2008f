"""What the detector is shown, and what is made of what it says."""

import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.engines.image_recognition.things.detector import GREY, SIDE, STRIDES, detections, letterboxed
from pipeline.engines.image_recognition.things.nouns import COCO

ANCHORS = sum((SIDE // stride) ** 2 for stride in STRIDES)


def silent() -> NDArray[np.float32]:
    """What the network says of a picture of nothing."""
    return np.zeros((ANCHORS, 5 + len(COCO)), np.float32)


def test_a_picture_stands_in_the_upper_left_corner_as_bgr_on_grey() -> None:
    pixels = np.zeros((100, 200, 3), np.uint8)
    pixels[..., 0] = 250  # red
    image, scale = letterboxed(pixels)
    assert image.shape == (1, 3, SIDE, SIDE)
    assert image.dtype == np.float32
    assert scale == SIDE / 200
    assert image[0, :, 0, 0].tolist() == [0, 0, 250]
    assert image[0, :, SIDE // 2 + 1, 0].tolist() == [GREY] * 3


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 100, 3), (3000, 40, 3)])
def test_any_shape_becomes_a_square(shape: tuple[int, int, int]) -> None:
    assert letterboxed(np.zeros(shape, np.uint8))[0].shape == (1, 3, SIDE, SIDE)


def test_a_row_becomes_a_box_in_the_original_picture() -> None:
    rows = silent()
    rows[52 + 2, :5] = 0.5, 0.5, np.log(4), np.log(2), 0.9  # the third place in the second row of the finest grid
    rows[52 + 2, 5 + COCO.index("cat")] = 0.8
    (found,) = detections(rows, 0.5, 832, 832)
    assert found.name == "cat"
    assert found.score == pytest.approx(0.72)
    centre, half = ((2 + 0.5) * 8 / 0.5, (1 + 0.5) * 8 / 0.5), (4 * 8 / 0.5 / 2, 2 * 8 / 0.5 / 2)
    assert (found.box.left, found.box.top) == pytest.approx((centre[0] - half[0], centre[1] - half[1]))
    assert (found.box.right, found.box.bottom) == pytest.approx((centre[0] + half[0], centre[1] + half[1]))


def test_what_is_doubtful_or_outside_or_endless_is_left_out_or_cut() -> None:
    rows = silent()
    rows[0, :5] = 0, 0, 100, 100, 0.2
    rows[0, 5] = 1
    assert detections(rows, 1, 100, 80) == []
    rows[0, 4] = 1
    (found,) = detections(rows, 1, 100, 80)
    assert (found.box.left, found.box.top, found.box.right, found.box.bottom) == (0, 0, 100, 80)
    assert detections(silent(), 1, 100, 80) == []
