"""A camera that is a file: a picture that stays, or a film that is shown at its own pace and then again."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import av
from av.error import FFmpegError
from livekit import rtc
from livekit.agents.voice import io
from PIL import Image, ImageOps, UnidentifiedImageError

PICTURES_PER_S = 5.0  # of a picture, and at most of a film: more than the agent samples
LONGEST_SIDE = 1280  # pixels; as cameras give


class PictureCamera(io.VideoInput):
    """Shows one picture for as long as somebody looks."""

    def __init__(self, frame: rtc.VideoFrame) -> None:
        super().__init__(label="picture")
        self._frame = frame
        self._due: float | None = None
        self.size = frame.width, frame.height

    async def __anext__(self) -> rtc.VideoFrame:
        now = asyncio.get_running_loop().time()
        self._due = now if self._due is None else self._due + 1 / PICTURES_PER_S
        await asyncio.sleep(self._due - now)
        return self._frame


class FilmCamera(io.VideoInput):
    """Shows a film, and begins again at its end. It is read in a thread."""

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        super().__init__(label="film")
        self._path, self.size = path, size
        self._pictures: Iterator[tuple[float, rtc.VideoFrame]] = iter(())
        self._began: float | None = None
        self._shown = float("-inf")  # when the newest picture was

    async def __anext__(self) -> rtc.VideoFrame:
        loop = asyncio.get_running_loop()
        picture = await asyncio.to_thread(next, self._pictures, None)
        if picture is None:
            self._pictures, self._began = film(self._path), None
            picture = await asyncio.to_thread(next, self._pictures, None)
        if picture is None:
            raise StopAsyncIteration
        at_s, frame = picture
        if self._began is None:  # its last picture stays for as long as any: there may be no other
            self._began = max(loop.time(), self._shown + 1 / PICTURES_PER_S)
        await asyncio.sleep(self._began + at_s - loop.time())
        self._shown = loop.time()
        return frame


FileCamera = PictureCamera | FilmCamera


def file_camera(path: Path) -> FileCamera:
    """Return a camera that shows the file, which may be any picture that Pillow reads or any film that FFmpeg does.

    Raises:
        ValueError: It is neither, or not there.
    """
    try:
        with Image.open(path) as image:
            if not getattr(image, "is_animated", False):
                return PictureCamera(picture_frame(image))
    except UnidentifiedImageError:
        """It may be a film."""
    except (OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        first = next(film(path), None)
    except FFmpegError:
        first = None
    if first is None:
        raise ValueError(f"{path}: neither a picture nor a film")
    return FilmCamera(path, (first[1].width, first[1].height))


def picture_frame(image: Image.Image) -> rtc.VideoFrame:
    """Return a picture as rooms give frames: I420, upright, its sides even and not too long."""
    upright = ImageOps.exif_transpose(image)
    width, height = _fitting(upright.width, upright.height)
    pixels = upright.convert("RGBA").resize((width, height)).tobytes()
    return rtc.VideoFrame(width, height, rtc.VideoBufferType.RGBA, pixels).convert(rtc.VideoBufferType.I420)


def film(path: Path) -> Iterator[tuple[float, rtc.VideoFrame]]:
    """Yield the film's pictures, `PICTURES_PER_S` at most, each with its second.

    Raises:
        FFmpegError: It is no film.
    """
    with closing(av.open(str(path))) as container:
        if not container.streams.video:
            return
        began_s = due_s = None
        for frame in container.decode(video=0):
            began_s = frame.time if began_s is None else began_s
            if due_s is None or frame.time >= due_s:
                due_s = frame.time + 1 / PICTURES_PER_S
                yield frame.time - began_s, _film_frame(frame)


def _film_frame(frame: av.VideoFrame) -> rtc.VideoFrame:
    width, height = _fitting(frame.width, frame.height)
    pixels = frame.to_ndarray(format="yuv420p", width=width, height=height).tobytes()
    return rtc.VideoFrame(width, height, rtc.VideoBufferType.I420, pixels)


def _fitting(width: int, height: int) -> tuple[int, int]:
    scale = min(1.0, LONGEST_SIDE / max(width, height)) / 2
    return max(2, 2 * round(width * scale)), max(2, 2 * round(height * scale))
