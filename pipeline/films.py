"""A video file as a camera would have shown it: seconds of two frames."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from pipeline.clips import Clip, Pixels, fitted, sized
from pipeline.errors import ConfigError, RequestError
from pipeline.names import film_name
from pipeline.seconds import HALF_MS, Seconds


def film_of(path: Path | None) -> Iterator[Clip]:
    """Its seconds, read as they are asked for, but for the first: so it is known that there are some. None of no film.

    Raises:
        RequestError: It cannot be read, or is no video.
        ConfigError: There is no such file, or what reads it is not installed.
    """
    if path is None:
        return iter(())
    if not path.is_file():
        raise ConfigError("--video", [f"{path} is no file"])
    seconds = _seconds_of(path)
    return chain([next(seconds)], seconds)


def _seconds_of(path: Path) -> Iterator[Clip]:
    """One after the other, at least one; of a last one that is not whole, what there is."""
    seconds = Seconds(film_name())
    for frame, at_ms in _frames(path):
        seconds.feed(frame, at_ms)
        yield from seconds.take(seconds.closed)
    yield from seconds.take(seconds.newest)


def _frames(path: Path) -> Iterator[tuple[Pixels, float]]:
    """The first frame of each half second, fitted, with its time in milliseconds."""
    try:
        import cv2
    except ImportError as error:
        raise ConfigError("--video", [f"needs the extra `vllm`: {error}"]) from error
    film = cv2.VideoCapture(str(path))
    next_ms = 0.0
    try:
        while film.grab():
            at_ms = film.get(cv2.CAP_PROP_POS_MSEC)
            if at_ms < next_ms:
                continue
            whole, bgr = film.retrieve()
            if not whole:
                break
            next_ms = (at_ms // HALF_MS + 1) * HALF_MS
            rgb = np.ascontiguousarray(bgr[:, :, ::-1])
            yield sized(rgb, fitted(rgb.shape[1], rgb.shape[0])), at_ms
    except RequestError as error:
        raise error.at("--video") from error
    finally:
        film.release()
    if not next_ms:
        raise RequestError("invalid_value", f"--video: {path} is no video, or cannot be read", "--video")
