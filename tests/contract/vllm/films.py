"""Writes short films."""

from pathlib import Path

import numpy as np


def write_film(path: Path, seconds: float) -> Path:
    import cv2

    film = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), 10, (160, 120))
    for number in range(round(10 * seconds)):
        film.write(np.full((120, 160, 3), 6 * number % 256, np.uint8))
    film.release()
    return path
