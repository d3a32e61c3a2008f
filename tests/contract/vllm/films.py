"""Writes short films."""

from pathlib import Path

import numpy as np


def write_film(path: Path, seconds: float, width: int = 160, height: int = 120) -> Path:
    import cv2

    film = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), 10, (width, height))
    for number in range(round(10 * seconds)):
        film.write(np.full((height, width, 3), 6 * number % 256, np.uint8))
    film.release()
    return path
