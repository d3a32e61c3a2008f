"""Rotated boxes of what a text detector says, without OpenCV."""

import math
import random

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from pipeline.engines.image_recognition.text.text_boxes import (
    GROWTH,
    TextBox,
    components,
    in_reading_order,
    smallest_rectangle,
    text_boxes,
)


def painted(*boxes: TextBox, size: tuple[int, int] = (400, 300)) -> NDArray[np.float32]:
    """A map in which these boxes are all but certain to be text."""
    image = Image.new("L", size)
    draw = ImageDraw.Draw(image)
    for box in boxes:
        draw.polygon([(float(x), float(y)) for x, y in box.corners()], fill=240)
    return np.asarray(image, np.float32) / np.float32(255)


def flooded(mask: NDArray[np.bool_]) -> set[frozenset[tuple[int, int]]]:
    """The same groups, by filling one pixel after the other."""
    left = {(int(y), int(x)) for y, x in np.argwhere(mask)}
    groups = set()
    while left:
        edge = [left.pop()]
        group = set(edge)
        while edge:
            y, x = edge.pop()
            near = {(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)} & left
            left -= near
            group |= near
            edge += near
        groups.add(frozenset(group))
    return groups


def test_groups_are_those_that_a_flood_finds() -> None:
    dice = random.Random(1)
    for share in (0.1, 0.3, 0.5, 0.9):
        mask = np.array([[dice.random() < share for _ in range(31)] for _ in range(23)])
        groups = {
            frozenset((row, x) for row, first, last in runs for x in range(first, last)) for runs in components(mask)
        }
        assert groups == flooded(mask)
    assert components(np.zeros((5, 5), np.bool_)) == []


@pytest.mark.parametrize("degrees", [-40, -10, 0, 5, 30, 44])
def test_the_smallest_rectangle_round_a_turned_one_is_itself(degrees: float) -> None:
    box = TextBox(100, 80, 90, 20, math.radians(degrees))
    found = smallest_rectangle(box.corners())
    assert (found.x, found.y) == pytest.approx((100, 80))
    assert (found.width, found.height, found.angle) == pytest.approx((90, 20, math.radians(degrees)), abs=1e-4)


def test_a_rectangle_of_few_points() -> None:
    assert smallest_rectangle(np.array([[1.0, 1], [4, 1], [4, 2], [1, 2]])) == TextBox(2.5, 1.5, 3, 1, 0)


@pytest.mark.parametrize("degrees", [0, 12, -30])
def test_a_line_is_found_where_it_is_and_grown(degrees: float) -> None:
    line = TextBox(200, 150, 160, 16, math.radians(degrees))
    (found,) = text_boxes(painted(line))
    grown = line.grown(GROWTH)
    assert (found.x, found.y) == pytest.approx((200, 150), abs=2)
    assert (found.width, found.height) == pytest.approx((grown.width, grown.height), abs=9)
    assert found.angle == pytest.approx(line.angle, abs=0.05)


def test_growing_moves_each_side_out_by_area_times_ratio_over_perimeter() -> None:
    assert TextBox(0, 0, 30, 10, 0).grown(1.6) == TextBox(0, 0, 30 + 2 * 300 * 1.6 / 80, 10 + 2 * 300 * 1.6 / 80, 0)


def test_what_is_faint_or_a_speck_is_no_line() -> None:
    assert text_boxes(painted(TextBox(50, 50, 60, 12, 0)) * 0.5) == []
    assert text_boxes(painted(TextBox(50, 50, 2, 1, 0))) == []
    assert text_boxes(np.zeros((32, 32), np.float32)) == []


def test_the_largest_line_comes_first() -> None:
    found = text_boxes(painted(TextBox(100, 40, 60, 10, 0), TextBox(200, 200, 200, 30, 0)))
    assert [round(box.y / 100) for box in found] == [2, 0]


@pytest.mark.parametrize("degrees", [0, 8, -20, 90, -90, 180])
def test_rows_are_read_from_the_top_and_each_from_the_left_however_the_page_is_turned(degrees: float) -> None:
    turn = math.radians(degrees)
    places = [(0, 0), (120, 2), (0, 40), (120, 41), (0, 80)]
    boxes = [
        TextBox(
            300 + x * math.cos(turn) - y * math.sin(turn), 300 + x * math.sin(turn) + y * math.cos(turn), 100, 20, turn
        )
        for x, y in places
    ]
    order = [3, 0, 4, 2, 1]
    rows = in_reading_order([boxes[place] for place in order])
    assert [[order[place] for place in row] for row in rows] == [[0, 1], [2, 3], [4]]
    assert in_reading_order([]) == []


def test_a_line_that_stands_is_turned_to_be_read() -> None:
    tall = TextBox(10, 50, 12, 60, 0.1)
    assert tall.is_tall
    lying = tall.turned(1)
    assert (lying.width, lying.height, lying.angle) == pytest.approx((60, 12, 0.1 + math.pi / 2))
    assert np.sort(lying.corners(), 0) == pytest.approx(np.sort(tall.corners(), 0))
