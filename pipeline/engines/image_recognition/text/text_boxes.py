"""Makes rotated boxes of the map in which a text detector says what belongs to a line of text. Pure.

Liao et al., Real-time Scene Text Detection with Differentiable Binarization (arXiv 1911.08947): the network is taught
shrunken lines, so each box is grown again by its area times a ratio over its perimeter. Contours come from runs of
pixels instead of OpenCV: a line is one group of runs that touch, its box the smallest rectangle round them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_PROBABILITY = 0.3  # of a pixel
LEAST_SCORE = 0.6  # mean over a line's pixels
GROWTH = 1.6
MOST_LINES = 100
TALL = 1.5  # times as high as wide: it stands upright


@dataclass(frozen=True, slots=True)
class TextBox:
    """A rotated rectangle.

    Attributes:
        x, y: Its centre.
        width, height: Along the line and across it.
        angle: Radians; positive turns from x to y.
    """

    x: float
    y: float
    width: float
    height: float
    angle: float

    @property
    def is_tall(self) -> bool:
        return self.height >= TALL * self.width

    def corners(self) -> NDArray[np.float64]:
        """[4, 2]: upper left, lower left, lower right, upper right."""
        along = np.array([math.cos(self.angle), math.sin(self.angle)]) * self.width / 2
        across = np.array([-math.sin(self.angle), math.cos(self.angle)]) * self.height / 2
        centre = np.array([self.x, self.y])
        return np.stack(
            [centre - along - across, centre - along + across, centre + along + across, centre + along - across]
        )

    def turned(self, quarters: int) -> "TextBox":
        """The same rectangle for a line that is read in a direction so many quarter turns further."""
        sides = (self.height, self.width) if quarters % 2 else (self.width, self.height)
        return TextBox(self.x, self.y, *sides, self.angle + quarters * math.pi / 2)

    def grown(self, ratio: float) -> "TextBox":
        by = self.width * self.height * ratio / (2 * (self.width + self.height))
        return TextBox(self.x, self.y, self.width + 2 * by, self.height + 2 * by, self.angle)

    def scaled(self, x: float, y: float) -> "TextBox":
        """In a picture whose sides are that many times as long; it keeps its angle, as the two hardly differ."""
        return TextBox(self.x * x, self.y * y, self.width * x, self.height * y, self.angle)


def text_boxes(probabilities: NDArray[np.float32]) -> list[TextBox]:
    """Boxes of lines, the largest first.

    Args:
        probabilities: [height, width], 0…1.
    """
    mask = probabilities > LEAST_PROBABILITY
    mask[1:] |= mask[:-1]  # lines that all but touch are one
    mask[:, 1:] |= mask[:, :-1]
    boxes = []
    for runs in components(mask):
        values = np.concatenate([probabilities[row, first:last] for row, first, last in runs])
        if values.mean() < LEAST_SCORE:
            continue
        boxes.append(smallest_rectangle(_outline(runs)).grown(GROWTH))
    return sorted(boxes, key=lambda box: -box.width * box.height)[:MOST_LINES]


def components(mask: NDArray[np.bool_]) -> list[list[tuple[int, int, int]]]:
    """Groups of pixels that touch, also at corners: each as runs of (row, first column, column behind the last)."""
    edges = np.diff(np.pad(mask.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    runs = [(int(row), int(first), int(last)) for (row, first), (_, last) in zip(starts, ends, strict=True)]
    parents = list(range(len(runs)))
    above = 0
    for here, (row, first, last) in enumerate(runs):
        while runs[above][0] < row - 1 or (runs[above][0] == row - 1 and runs[above][2] < first):
            above += 1
        over = above
        while runs[over][0] == row - 1 and runs[over][1] <= last:
            parents[_root(parents, over)] = _root(parents, here)
            over += 1
    groups: dict[int, list[tuple[int, int, int]]] = {}
    for here, run in enumerate(runs):
        groups.setdefault(_root(parents, here), []).append(run)
    return list(groups.values())


def smallest_rectangle(points: NDArray[np.float64]) -> TextBox:
    """The smallest rectangle round some points [n, 2], turned by at most 45 degrees.

    One of its sides lies along their convex hull.
    """
    hull = _convex_hull(points)
    sides = np.roll(hull, -1, 0) - hull
    angles = np.unique(np.round(np.arctan2(sides[:, 1], sides[:, 0]) % (math.pi / 2), 6))
    axes = np.stack([np.cos(angles), np.sin(angles)], -1)
    along = hull @ axes.T
    across = hull @ np.stack([-axes[:, 1], axes[:, 0]])
    widths, heights = np.ptp(along, axis=0), np.ptp(across, axis=0)
    best = int(np.argmin(widths * heights))
    width, height, angle = float(widths[best]), float(heights[best]), float(angles[best])
    u = (along[:, best].max() + along[:, best].min()) / 2
    v = (across[:, best].max() + across[:, best].min()) / 2
    x, y = u * axes[best, 0] - v * axes[best, 1], u * axes[best, 1] + v * axes[best, 0]
    if angle > math.pi / 4:
        width, height, angle = height, width, angle - math.pi / 2
    return TextBox(float(x), float(y), width, height, angle)


def in_reading_order(boxes: Sequence[TextBox]) -> list[list[int]]:
    """Positions of boxes in rows: from the top, and each from the left, as most of the lines are turned.

    A box belongs to a row if its centre lies within the middle half of the row's first one.
    """
    turn = math.atan2(
        sum(math.sin(box.angle) * box.width for box in boxes), sum(math.cos(box.angle) * box.width for box in boxes)
    )
    along = [box.x * math.cos(turn) + box.y * math.sin(turn) for box in boxes]
    down = [box.y * math.cos(turn) - box.x * math.sin(turn) for box in boxes]
    rows: list[list[int]] = []
    for place in sorted(range(len(boxes)), key=lambda each: down[each]):
        if rows and down[place] - down[rows[-1][0]] < boxes[rows[-1][0]].height / 2:
            rows[-1].append(place)
        else:
            rows.append([place])
    return [sorted(row, key=lambda each: along[each]) for row in rows]


def _outline(runs: Sequence[tuple[int, int, int]]) -> NDArray[np.float64]:
    """Corners of the pixels at both ends of each run."""
    ends = np.array(runs, np.float64)
    row, first, last = ends.T
    corners = [np.stack([x, y], -1) for x in (first, last) for y in (row, row + 1)]
    return np.concatenate(corners)


def _convex_hull(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Andrew's monotone chain."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    lower, upper = _half_hull(ordered), _half_hull(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1] or ordered[:1])


def _half_hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    hull: list[tuple[float, float]] = []
    for x, y in points:
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _root(parents: list[int], node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node
