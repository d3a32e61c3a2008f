"""Rectangles in a picture, and which of many that overlap are kept. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.media.video_chunk import Pixels


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; `right` and `bottom` lie outside it."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.bottom - self.top)

    def overlap(self, other: "Box") -> float:
        """The area that both cover."""
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        ).area

    def iou(self, other: "Box") -> float:
        """Intersection over union: 1 for equal boxes, 0 for strangers."""
        both = self.overlap(other)
        return both / max(self.area + other.area - both, 1e-9)

    def within(self, width: float, height: float) -> "Box":
        """The part of it that lies in a picture of that size."""
        return Box(max(0.0, self.left), max(0.0, self.top), min(width, self.right), min(height, self.bottom))

    def squared(self, margin: float, width: int, height: int) -> "Box":
        """A square round it with `margin` of its longer side added all round, as far as the picture goes."""
        half = max(self.right - self.left, self.bottom - self.top) * (0.5 + margin)
        x, y = (self.left + self.right) / 2, (self.top + self.bottom) / 2
        return Box(x - half, y - half, x + half, y + half).within(width, height)


@dataclass(frozen=True, slots=True)
class Detection:
    """Something that the detector has found.

    Attributes:
        name: The noun.
        score: How sure the detector is, in 0…1.
    """

    name: str
    score: float
    box: Box


def cropped(pixels: Pixels, box: Box) -> Pixels:
    """The pixels in a box, at least one."""
    height, width = pixels.shape[:2]
    left, top = min(int(box.left), width - 1), min(int(box.top), height - 1)
    return pixels[top : max(top + 1, round(box.bottom)), left : max(left + 1, round(box.right))]


def non_maximum_suppression(found: Sequence[Detection], most_iou: float) -> list[Detection]:
    """The best ones first; of two that overlap by more than `most_iou` the better one, whatever they are called."""
    kept: list[Detection] = []
    for detection in sorted(found, key=lambda each: -each.score):
        if all(detection.box.iou(better.box) <= most_iou for better in kept):
            kept.append(detection)
    return kept
