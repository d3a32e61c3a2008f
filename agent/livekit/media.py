"""LiveKit's frames as the pipeline's sound and pictures, and back."""

import asyncio
import io
import logging
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from livekit import rtc
from livekit.agents import AgentSession
from PIL import Image

from agent.aio.background_tasks import OwnedTasks
from pipeline.realtime.client import Event

logger = logging.getLogger(__name__)

RATE = 24_000  # Hz, mono, both ways: the wire's `audio/pcm`
FRAMES_PER_S = 2.0
LONGEST_SIDE = 640  # pixels of a picture that the pipeline is sent
JPEG_QUALITY = 80


def sound(pcm: bytes) -> rtc.AudioFrame:
    """PCM16, 24 kHz mono, as a frame to play."""
    return rtc.AudioFrame(data=pcm, sample_rate=RATE, num_channels=1, samples_per_channel=len(pcm) // 2)


def appended(frame: rtc.AudioFrame) -> Event:
    """A frame that was heard, as the pipeline takes it."""
    return {"type": "input_audio_buffer.append", "audio": b64encode(frame.data).decode()}


class VideoPace:
    """Lets so many of a stream of moments through that there are `per_s` of them, evenly."""

    def __init__(self, per_s: float) -> None:
        self._every_s = 1 / per_s
        self._due: float | None = None

    def take(self, now: float) -> bool:
        """`now` in seconds, never going back."""
        if self._due is not None and now < self._due:
            return False
        late = self._due is None or now >= self._due + self._every_s
        self._due = (now if late or self._due is None else self._due) + self._every_s
        return True


class VideoSampler:
    """LiveKit's `video_sampler`: two frames a second, also while people speak."""

    def __init__(self, per_s: float = FRAMES_PER_S) -> None:
        self._pace = VideoPace(per_s)

    def __call__(self, frame: rtc.VideoFrame, session: AgentSession[Any]) -> bool:
        return self._pace.take(asyncio.get_running_loop().time())


class Camera:
    """Sends pictures to the pipeline. They are made in a thread; what comes meanwhile is dropped."""

    def __init__(self, send: Callable[[Event], None], tasks: OwnedTasks) -> None:
        self._send, self._tasks = send, tasks
        self._busy = False

    def see(self, frame: rtc.VideoFrame, timestamp_ms: int) -> None:
        """`timestamp_ms`: how much sound had been sent when the frame came."""
        if not self._busy:
            self._busy = True
            self._tasks.start(self._picture(frame, timestamp_ms), "camera:picture")

    async def _picture(self, frame: rtc.VideoFrame, timestamp_ms: int) -> None:
        try:
            image = b64encode(await asyncio.to_thread(jpeg, frame)).decode()
            self._send({"type": "input_video_buffer.append", "image": image, "timestamp_ms": timestamp_ms})
        finally:
            self._busy = False


def jpeg(frame: rtc.VideoFrame) -> bytes:
    """The frame as JPEG, at most 640 pixels long. Takes milliseconds: not for the event loop."""
    rgb = frame.convert(rtc.VideoBufferType.RGB24)
    image = Image.frombuffer("RGB", (rgb.width, rgb.height), bytes(rgb.data), "raw", "RGB", 0, 1)
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()
