"""This module converts LiveKit's frames into the pipeline's sound and pictures, and back."""

import asyncio
import logging
from typing import Any

from livekit import rtc
from livekit.agents import AgentSession

from agent.aio.background_tasks import OwnedTasks
from agent.livekit.input_stream import AudioPiece, CameraPicture, InputStream
from agent.video.jpeg import jpeg
from agent.video.sourced_frame import source_of

logger = logging.getLogger(__name__)

RATE = 24_000  # Hz, mono, both ways: the wire's `audio/pcm`
FRAMES_PER_S = 2.0


def sound(pcm: bytes) -> rtc.AudioFrame:
    """Return PCM16, 24 kHz mono, as a frame to play."""
    return rtc.AudioFrame(data=pcm, sample_rate=RATE, num_channels=1, samples_per_channel=len(pcm) // 2)


def audio_piece(frame: rtc.AudioFrame) -> AudioPiece:
    """Return a frame (24 kHz mono) that has been heard just now, as the pipeline takes it."""
    return AudioPiece(bytes(frame.data), frame.duration, asyncio.get_running_loop().time())


class VideoPace:
    """Lets so many of a stream of moments through that there are `per_s` of them, evenly."""

    def __init__(self, per_s: float) -> None:
        self._every_s = 1 / per_s
        self._due: float | None = None

    def take(self, now: float) -> bool:
        """Return whether to take what comes at `now`, in seconds, never going back."""
        if self._due is not None and now < self._due:
            return False
        late = self._due is None or now >= self._due + self._every_s
        self._due = (now if late or self._due is None else self._due) + self._every_s
        return True


class VideoSampler:
    """Samples video for LiveKit (`video_sampler`): two frames a second, also while people speak."""

    def __init__(self, per_s: float = FRAMES_PER_S) -> None:
        self._pace = VideoPace(per_s)

    def __call__(self, frame: rtc.VideoFrame, session: AgentSession[Any]) -> bool:
        return self._pace.take(asyncio.get_running_loop().time())


class Camera:
    """Sends pictures to the pipeline. They are made in a thread; what comes meanwhile is dropped."""

    def __init__(self, pipeline: InputStream, tasks: OwnedTasks) -> None:
        self._pipeline, self._tasks = pipeline, tasks
        self._busy = False

    def see(self, frame: rtc.VideoFrame) -> None:
        """Send a frame that has come just now, unless one is being made."""
        if not self._busy:
            self._busy = True
            self._tasks.start(self._picture(frame, asyncio.get_running_loop().time()), "camera:picture")

    async def _picture(self, frame: rtc.VideoFrame, taken_at: float) -> None:
        try:
            self._pipeline.stream(CameraPicture(await asyncio.to_thread(jpeg, frame), taken_at, source_of(frame)))
        finally:
            self._busy = False
