"""Writes short films."""

from pathlib import Path

import numpy as np

LIGHTER = 6


def write_film(path: Path, seconds: float, width: int = 160, height: int = 120, fps: float = 10) -> Path:
    """Frame by frame a little lighter: `LIGHTER` each."""
    import cv2

    film = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), fps, (width, height))
    for number in range(round(fps * seconds)):
        film.write(np.full((height, width, 3), LIGHTER * number % 256, np.uint8))
    film.release()
    return path
