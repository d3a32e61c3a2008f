"""This module says what a frame is of: a camera, or a screen that is shared."""

from typing import Literal

from livekit import rtc

VideoSource = Literal["camera", "screen"]  # the wire's words


class SourcedFrame(rtc.VideoFrame):
    """The frame of a video knows what it is of."""

    def __init__(self, frame: rtc.VideoFrame, source: VideoSource) -> None:
        super().__init__(frame.width, frame.height, frame.type, frame.data)
        self.source = source


def source_of(frame: rtc.VideoFrame) -> VideoSource:
    """Return what a frame is of; one that does not know it is a camera's."""
    return frame.source if isinstance(frame, SourcedFrame) else "camera"
