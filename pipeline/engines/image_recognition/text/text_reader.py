"""Reads what is written in a picture, with PP-OCRv6: one network finds lines, another one reads each.

The networks and what they take are PaddleOCR's (Apache-2.0); everything round them is numpy and Pillow.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pipeline.engines.image_recognition.onnx_session import open_session
from pipeline.engines.image_recognition.text.text_boxes import TextBox, in_reading_order, text_boxes
from pipeline.media.video_chunk import Pixels, sized

TILE = 32  # sides that the finder takes are multiples of it
LINE_HEIGHT = 48  # of what the reader takes
LEAST_WIDTH, MOST_WIDTH = 16, 1_536
LEAST_CONFIDENCE = 0.6  # mean over a line's characters …
SHORT, LEAST_OF_SHORT = 3, 0.9  # … and of a line of so few: patterns look like letters
CLEAR = 0.9  # so sure is nobody of a line that stands on its head
LEVEL, OVERHEAD, DOWNWARDS, UPWARDS = 0, 2, 1, -1  # quarter turns of a line


@dataclass(frozen=True, slots=True)
class ReadingEffort:
    """How closely a picture is looked at.

    Attributes:
        side: Longest side at which lines are sought, in pixels.
        lines: The largest so many are read.
    """

    side: int
    lines: int


LIGHT = ReadingEffort(480, 6)
FULL = ReadingEffort(960, 60)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line as it was read, and where it stands."""

    box: TextBox
    text: str
    confidence: float


class TextReader:
    """Wraps the two ONNX files."""

    def __init__(self, finder: Path, reader: Path, threads: int) -> None:
        self._finder = open_session(finder, threads)
        self._reader = open_session(reader, threads)
        characters = self._reader.get_modelmeta().custom_metadata_map["character"].split("\n")
        self._alphabet = ["", *characters, " "]  # the first one says that nothing is there

    def lines(self, pixels: Pixels, effort: ReadingEffort) -> Iterator[TextLine | None]:
        """Reads one line after the other, the largest first; None after each step that brings no line.

        Args:
            pixels: uint8 RGB, [height, width, 3].
        """
        boxes = self._found(pixels, effort.side)
        yield None
        image = Image.fromarray(pixels)
        lying, standing = [LEVEL, OVERHEAD], [DOWNWARDS, UPWARDS]  # as the line before was, first
        for box in islice(boxes, effort.lines):
            turns = standing if box.is_tall else lying
            best = TextLine(box, "", 0.0)
            for quarters in turns:
                line = self._read(image, box.turned(quarters))
                if line.confidence > best.confidence:
                    best = line
                if best.confidence >= CLEAR:
                    break
            if not is_legible(best.text, best.confidence):
                yield None
                continue
            if best.box == box.turned(turns[-1]):
                turns.reverse()
            yield best

    def _found(self, pixels: Pixels, side: int) -> list[TextBox]:
        height, width = pixels.shape[:2]
        scale = min(1.0, side / max(height, width))
        size = tuple(max(TILE, round(length * scale / TILE) * TILE) for length in (width, height))
        (maps,) = self._finder.run(None, {"x": normalised(sized(pixels, (size[0], size[1])))})
        return [box.scaled(width / size[0], height / size[1]) for box in text_boxes(maps[0, 0])]

    def _read(self, image: Image.Image, box: TextBox) -> TextLine:
        line = straightened(image, box)
        height, width = line.shape[:2]
        width = min(max(LEAST_WIDTH, math.ceil(LINE_HEIGHT * width / height)), MOST_WIDTH)
        (steps,) = self._reader.run(None, {"x": normalised(sized(line, (width, LINE_HEIGHT)))})
        return TextLine(box, *characters_of(steps[0], self._alphabet))


def is_legible(text: str, confidence: float) -> bool:
    """True if a line says something, and not by chance."""
    said = sum(character.isalnum() for character in text)
    return said > 0 and confidence >= (LEAST_OF_SHORT if said <= SHORT else LEAST_CONFIDENCE)


def as_text(lines: list[TextLine]) -> str:
    """Lines in the order in which people read them; a line feed stands between rows."""
    rows = in_reading_order([line.box for line in lines])
    return "\n".join(" ".join(lines[place].text.strip() for place in row) for row in rows)


def normalised(pixels: Pixels) -> NDArray[np.float32]:
    """uint8 RGB [height, width, 3] → float32 BGR in -1…1, [1, 3, height, width]."""
    return np.ascontiguousarray(pixels[:, :, ::-1].transpose(2, 0, 1)[None], np.float32) / 127.5 - 1


def straightened(image: Image.Image, box: TextBox) -> Pixels:
    """The line in a box, from its left to its right; white where the picture ends."""
    size = max(1, round(box.width)), max(1, round(box.height))
    corners = box.corners().ravel().tolist()
    return np.asarray(
        image.transform(size, Image.Transform.QUAD, corners, Image.Resampling.BILINEAR, fillcolor="white")
    )


def characters_of(steps: NDArray[np.float32], alphabet: list[str]) -> tuple[str, float]:
    """Connectionist temporal classification: the likeliest character of each step [steps, characters], repeats once.

    Returns:
        The text, and the mean probability of its characters; 0 if there are none.
    """
    best = steps.argmax(1)
    fresh = (best != np.roll(best, 1)) & (best != 0)
    fresh[:1] = best[:1] != 0
    if not fresh.any():
        return "", 0.0
    return "".join(alphabet[number] for number in best[fresh]), float(steps[fresh].max(1).mean())
