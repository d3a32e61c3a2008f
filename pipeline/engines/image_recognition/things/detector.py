"""Finds things of 80 kinds in a picture, with YOLOX-nano.

Ge et al., YOLOX: Exceeding YOLO Series in 2021 (arXiv 2107.08430). The checkpoint takes BGR of 0…255 as it is.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.image_recognition.onnx_session import open_session
from pipeline.engines.image_recognition.things.boxes import Box, Detection, non_maximum_suppression
from pipeline.engines.image_recognition.things.nouns import COCO
from pipeline.media.video_chunk import Pixels, sized

SIDE = 416
GREY = 114  # round a picture, as in training
STRIDES = (8, 16, 32)
LEAST_SCORE = 0.25
MOST_IOU = 0.5
MOST_CANDIDATES = 200


class ThingDetector:
    """Wraps the detector's ONNX file."""

    def __init__(self, file: Path, threads: int) -> None:
        self._session = open_session(file, threads)

    def found(self, pixels: Pixels) -> list[Detection]:
        """What is in a picture (uint8 RGB, [height, width, 3]), the surest first."""
        image, scale = letterboxed(pixels)
        (rows,) = self._session.run(None, {"images": image})
        return detections(rows[0], scale, pixels.shape[1], pixels.shape[0])


def letterboxed(pixels: Pixels) -> tuple[NDArray[np.float32], float]:
    """A picture as the network takes it: float32 BGR [1, 3, SIDE, SIDE], in the upper left corner; and its scale."""
    height, width = pixels.shape[:2]
    scale = SIDE / max(height, width)
    small = sized(pixels, (max(1, round(width * scale)), max(1, round(height * scale))))
    image = np.full((SIDE, SIDE, 3), GREY, np.uint8)
    image[: small.shape[0], : small.shape[1]] = small
    return np.ascontiguousarray(image[:, :, ::-1].transpose(2, 0, 1)[None], np.float32), scale


def detections(rows: NDArray[np.float32], scale: float, width: int, height: int) -> list[Detection]:
    """Makes boxes of what the network says.

    Args:
        rows: [anchors, 5 + kinds]: centre and log size in strides, objectness, and a score for each kind.
        scale: Pixels of the network's picture per pixel of the original, which has `width` x `height`.
    """
    scores = rows[:, 4:5] * rows[:, 5:]
    best = scores.argmax(1)
    certainty = scores[np.arange(len(rows)), best]
    chosen = np.flatnonzero(certainty >= LEAST_SCORE)
    chosen = chosen[np.argsort(-certainty[chosen])][:MOST_CANDIDATES]
    grid, stride = _anchors()
    centre = (rows[chosen, :2] + grid[chosen]) * stride[chosen] / scale
    half = np.exp(np.minimum(rows[chosen, 2:4], 10)) * stride[chosen] / scale / 2
    corners = np.concatenate([centre - half, centre + half], 1)
    found = [
        Detection(COCO[best[i]], float(certainty[i]), Box(*map(float, box)).within(width, height))
        for i, box in zip(chosen, corners, strict=True)
    ]
    return non_maximum_suppression([each for each in found if each.box.area], MOST_IOU)


def _anchors() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """[anchors, 2] places in their grids, x first; and [anchors, 1] strides, in the order of the network's rows."""
    grids, strides = [], []
    for stride in STRIDES:
        count = SIDE // stride
        y, x = np.mgrid[:count, :count]
        grids.append(np.stack([x, y], -1).reshape(-1, 2))
        strides.append(np.full((count * count, 1), stride))
    return np.concatenate(grids).astype(np.float32), np.concatenate(strides).astype(np.float32)
