"""This module holds what a caller's microphone, camera and screen give, and the clock that a connection counts by."""

from base64 import b64encode
from dataclasses import dataclass
from typing import Literal, Protocol

from agent.video.sourced_frame import VideoSource
from pipeline.realtime.client import Event


@dataclass(frozen=True, slots=True)
class AudioPiece:
    """A piece is sound that was heard.

    Attributes:
        pcm: PCM16, 24 kHz mono.
        seconds: Its length.
        taken_at: When it ended, on the loop's clock.
    """

    pcm: bytes
    seconds: float
    taken_at: float


@dataclass(frozen=True, slots=True)
class CameraPicture:
    """A picture was seen by the camera, or is of a screen that is shared; it is a JPEG."""

    jpeg: bytes
    taken_at: float
    source: VideoSource = "camera"


@dataclass(frozen=True, slots=True)
class ActivityMark:
    """The mark says that the person began or stopped to speak, `ago_ms` before the end of the sound in front of it."""

    speaking: bool
    ago_ms: float


@dataclass(frozen=True, slots=True)
class BufferMark:
    """The mark says that the sound in front of it is a turn, or is to be forgotten."""

    action: Literal["commit", "clear"]


InputItem = AudioPiece | CameraPicture | ActivityMark | BufferMark


class InputStream(Protocol):
    """Takes what a caller's microphone and camera give."""

    def stream(self, item: InputItem) -> None: ...


class InputClock:
    """The clock times what leaves on one connection: the pipeline counts the sound of each from zero.

    Marks are placed in the sound that has left. Pictures are placed on the loop's clock, which goes on when no sound
    comes; its zero is where the first sound or picture of the connection begins.
    """

    def __init__(self) -> None:
        self._sent_s = 0.0
        self._zero: float | None = None

    def event(self, item: InputItem) -> Event:
        """Return the item as it leaves now."""
        match item:
            case AudioPiece(pcm, seconds, taken_at):
                self._since_zero(taken_at - seconds)
                self._sent_s += seconds
                return {"type": "input_audio_buffer.append", "audio": b64encode(pcm).decode()}
            case CameraPicture(jpeg, taken_at, source):
                at_ms, image = round(self._since_zero(taken_at) * 1000), b64encode(jpeg).decode()
                return {"type": "input_video_buffer.append", "image": image, "timestamp_ms": at_ms, "source": source}
            case ActivityMark(speaking, ago_ms):
                at_ms = max(0, round(self._sent_s * 1000 - ago_ms))
                return {"type": "input_audio_buffer.activity", "speaking": speaking, "audio_ms": at_ms}
            case BufferMark(action):
                return {"type": f"input_audio_buffer.{action}"}

    def _since_zero(self, moment: float) -> float:
        if self._zero is None:
            self._zero = moment
        return max(0.0, moment - self._zero)
