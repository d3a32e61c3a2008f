"""A video file as a camera would have shown it: seconds of two frames, whatever its own rate."""

import math
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from pipeline.errors import ConfigError, RequestError
from pipeline.media.video_chunk import Pixels, VideoChunk, fitted, sized
from pipeline.types.ids import film_name
from pipeline.vision.video_buffer import HALF_MS, VideoBuffer


def film_of(path: Path | None) -> Iterator[VideoChunk]:
    """Yields a film's seconds as they are asked for; the first is decoded at once, so that faults show.

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


def _seconds_of(path: Path) -> Iterator[VideoChunk]:
    """One after the other, at least one; of a last one that is not whole, what there is."""
    seconds = VideoBuffer(film_name())
    for frame, at_ms in _output(_frames(path)):
        seconds.feed(frame, at_ms)
        yield from seconds.take(seconds.closed)
    yield from seconds.take(seconds.newest)


def _output(frames: Iterable[tuple[Pixels, int]]) -> Iterator[tuple[Pixels, int]]:
    """The same at the beginning of their half seconds, and in each that has none of its own the one before."""
    newest: tuple[Pixels, int] | None = None
    for frame, at_ms in frames:
        half = at_ms // HALF_MS
        if newest:
            before, number = newest
            yield from ((before, empty * HALF_MS) for empty in range(number + 1, half))
        yield frame, half * HALF_MS
        newest = frame, half


def _frames(path: Path) -> Iterator[tuple[Pixels, int]]:
    """The first frame of each half second, fitted, with its time in milliseconds; of a whole film, also the last one
    for as long as it stands."""
    try:
        import cv2
    except ImportError as error:
        raise ConfigError("--video", [f"needs the extra `vllm`: {error}"]) from error
    film = cv2.VideoCapture(str(path))
    count, rate = film.get(cv2.CAP_PROP_FRAME_COUNT), film.get(cv2.CAP_PROP_FPS)
    frame: Pixels | None = None
    came = next_ms = 0
    try:
        while film.grab():
            came += 1
            at_ms = round(film.get(cv2.CAP_PROP_POS_MSEC))
            if at_ms < next_ms:
                continue
            whole, bgr = film.retrieve()
            if not whole:
                break
            next_ms = (at_ms // HALF_MS + 1) * HALF_MS
            rgb = np.ascontiguousarray(bgr[:, :, ::-1])
            frame = sized(rgb, fitted(rgb.shape[1], rgb.shape[0]))
            yield frame, at_ms
        if frame is not None and came == count and rate > 0 and (last_ms := _last_half_ms(count / rate)) >= next_ms:
            yield frame, last_ms
    except RequestError as error:
        raise error.at("--video") from error
    finally:
        film.release()
    if frame is None:
        raise RequestError("invalid_value", f"--video: {path} is no video, or cannot be read", "--video")


def _last_half_ms(film_s: float) -> int:
    """When the last half second begins of which a film fills at least the half."""
    return math.floor((1_000 * film_s - HALF_MS / 2) / HALF_MS) * HALF_MS
