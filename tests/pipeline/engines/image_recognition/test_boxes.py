"""Rectangles, and which of many that overlap are kept."""

import numpy as np
import pytest

from pipeline.engines.image_recognition.things.boxes import Box, Detection, cropped, non_maximum_suppression


def test_overlap_over_union() -> None:
    one = Box(0, 0, 10, 10)
    assert one.iou(one) == pytest.approx(1)
    assert one.iou(Box(5, 0, 15, 10)) == pytest.approx(50 / 150)
    assert one.iou(Box(10, 0, 20, 10)) == one.overlap(Box(30, 30, 40, 40)) == 0


def test_a_square_round_a_box_stays_in_the_picture() -> None:
    assert Box(40, 20, 60, 80).squared(0.0, 100, 100) == Box(20, 20, 80, 80)
    assert Box(0, 0, 10, 90).squared(0.1, 100, 100) == Box(0, 0, 59, 99)


def test_of_two_that_overlap_the_surer_one_is_kept_whatever_they_are_called() -> None:
    cat, dog = Detection("cat", 0.6, Box(0, 0, 10, 10)), Detection("dog", 0.7, Box(1, 0, 11, 10))
    far = Detection("cat", 0.3, Box(50, 50, 60, 60))
    assert non_maximum_suppression([cat, far, dog], 0.5) == [dog, far]


def test_a_crop_has_at_least_one_pixel() -> None:
    pixels = np.zeros((4, 6, 3), np.uint8)
    assert cropped(pixels, Box(1, 1, 3, 4)).shape == (3, 2, 3)
    assert cropped(pixels, Box(6, 4, 6, 4)).shape == (1, 1, 3)
