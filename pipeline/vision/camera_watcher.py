"""One caller's camera: its frames are looked at one after the other, and put into seconds."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress

from pipeline.aio.signal import Signal
from pipeline.errors import RequestError
from pipeline.media.picture_decoding import DecodePicture, in_thread
from pipeline.media.video_chunk import VideoSource
from pipeline.vision.video_buffer import FrameId, VideoBuffer

log = logging.getLogger(__name__)

WAITING = 4  # frames that may wait to be looked at; of more the oldest go
SEEN_S = 5.0  # that what is written waits at most for the frames before it
ROUND_S = 1.0  # after which a second closes, even if its other frame has not come


class CameraWatcher:
    """Puts all that can be seen into `seconds`."""

    def __init__(self, seconds: VideoBuffer, decode_picture: DecodePicture = in_thread) -> None:
        self._seconds = seconds
        self._decode_picture = decode_picture
        self._waiting: deque[tuple[bytes, float, float, VideoSource]] = deque(maxlen=WAITING)
        self._changed = Signal()
        self._looking = False
        self._looked = Signal()

    def see(self, data: bytes, at_ms: float | None = None, source: VideoSource = "camera") -> None:
        """A frame has come, in a file's form.

        Args:
            at_ms: When it was taken, by any clock, which is one for all sources; by default now.
        """
        now = asyncio.get_running_loop().time()
        self._waiting.append((data, now * 1_000 if at_ms is None else at_ms, now, source))
        self._changed.fire()

    def check(self) -> None:
        """Something has been taken out of the seconds: another one may be open."""
        self._changed.fire()

    async def all_seen(self) -> None:
        """Returns when the frames that have come have been looked at, or soon: what is written next is about them."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SEEN_S):
                while self._waiting or self._looking:
                    await self._looked.wait()

    async def watch(self) -> AsyncGenerator[FrameId, None]:
        """Look at all that comes; gives the newest frame when there is one more, or its second has closed. No end."""
        while True:
            if not self._waiting:
                if await self._closes():
                    self._seconds.finish()
                    yield self._seconds.newest
                continue
            if await self._look(*self._waiting.popleft()):
                yield self._seconds.newest

    async def _look(self, data: bytes, at_ms: float, came: float, source: VideoSource) -> bool:
        """Whether the frame can be seen, and was kept."""
        self._looking = True
        try:
            return self._seconds.feed(await self._decode_picture(data), at_ms, came, source)
        except RequestError as error:
            log.warning("a frame cannot be seen: %s", error.message)
            return False
        except Exception:  # the camera goes on
            log.exception("a frame cannot be seen")
            return False
        finally:
            self._looking = False
            self._looked.fire()

    async def _closes(self) -> bool:
        """Wait for a change; whether instead a second has been open for too long."""
        frame = self._seconds.open
        try:
            async with asyncio.timeout_at(frame.place.came + ROUND_S if frame else None):
                await self._changed.wait()
        except TimeoutError:
            return self._seconds.open is frame
        return False
