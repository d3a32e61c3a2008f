"""A camera's newest frames as seconds of two: what has been seen, and stands in no conversation yet. Pure."""

import math
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from pipeline.media.video_chunk import Pixels, VideoChunk, VideoSource, second

HALF_MS = 500  # between the two frames of a second
LATE_MS = 2_000  # a frame that is older than the newest by more begins a new clock


class FrameId(NamedTuple):
    """Names a frame among those of its camera: a later one is greater.

    Attributes:
        came: When it came, by our clock, in seconds.
    """

    number: int
    came: float


NOWHERE = FrameId(-1, -math.inf)  # before all frames


@dataclass(frozen=True, slots=True)
class CameraFrame:
    """Is one picture that the camera took, or of a screen that is shared, and was kept.

    Attributes:
        at_ms: When it was taken, by the camera's clock.
    """

    place: FrameId
    at_ms: float
    pixels: Pixels = field(compare=False, repr=False)
    source: VideoSource = "camera"


class VideoBuffer:
    """Puts frames into seconds, and keeps them until they are taken.

    A second has room for one frame in each half, give or take a quarter. A frame is dropped if its half has one,
    or if a later one has come, whether that is still here or was taken. A camera and a screen have one clock, and the
    halves are both's; but a second is of one of them: what the other shows begins another. A clip is named by its
    frames: of one name there is only one.

    Args:
        name: The camera's name.
        most: Seconds that are kept; of more the oldest go.

    Attributes:
        newest: The newest of all frames.
        closed: The newest in a second that no other can join any more.
        taken: The newest that was taken.
    """

    def __init__(self, name: str, most: int | None = None) -> None:
        self._name = name
        self._seconds: deque[tuple[CameraFrame, ...]] = deque(maxlen=most)
        self._numbers = count()
        self._began_ms: float | None = None
        self._half = -1  # of the newest frame
        self.newest = self.closed = self.taken = NOWHERE

    @property
    def open(self) -> CameraFrame | None:
        """The first of a second that another may join."""
        return self._seconds[-1][0] if self.newest > self.closed else None

    def feed(self, pixels: Pixels, at_ms: float, came: float = 0.0, source: VideoSource = "camera") -> bool:
        """Takes a frame, and keeps at most one for each half of a second.

        Returns:
            Whether it was kept.
        """
        if self._began_ms is None or at_ms < self._began_ms + self._half * HALF_MS - LATE_MS:
            self.finish()
            self._began_ms, self._half = at_ms, -1
        half = round((at_ms - self._began_ms) / HALF_MS)
        if half <= self._half:
            return False
        frame = CameraFrame(FrameId(next(self._numbers), came), at_ms, pixels, source)
        if half % 2 and half == self._half + 1 and self.open and self.open.source == source:
            self._seconds[-1] += (frame,)
            self.closed = frame.place
        else:
            self._seconds.append((frame,))
            self._began_ms += half % 2 * HALF_MS  # the second begins with its first frame
            half -= half % 2
            self.closed = self.newest
        self._half, self.newest = half, frame.place
        return True

    def finish(self) -> None:
        """The second closes as it is; the next frame begins another."""
        self.closed = self.newest

    def splits(self, upto: FrameId) -> bool:
        """One second's first frame is up to there, and its other frame is not."""
        return any(each[0].place <= upto < each[-1].place for each in self._seconds)

    def clips(self, upto: FrameId) -> list[VideoChunk]:
        """What the frames up to there are, if nothing follows them: one that stands alone is shown twice."""
        kept = (tuple(frame for frame in each if frame.place <= upto) for each in self._seconds)
        return [self._clip(frames) for frames in kept if frames]

    def take(self, upto: FrameId) -> list[VideoChunk]:
        """Take out the clips of the frames up to there. If that splits a second, its other frame begins a new one."""
        clips = self.clips(upto)
        while self._seconds and self._seconds[0][-1].place <= upto:
            self._seconds.popleft()
        if not self._seconds and self.newest > self.closed:
            self.finish()
        elif self.splits(upto):
            self._seconds[0] = self._seconds[0][1:]
            if len(self._seconds) == 1:
                self._began_ms, self._half, self.closed = self._seconds[0][0].at_ms, 0, upto
        self.taken = max(self.taken, upto)
        return clips

    def skip(self, after: FrameId) -> int:
        """Drop all seconds that have closed since `after` but the newest; returns how many."""
        fresh = [each for each in self._seconds if each[0].place > after and each[-1].place <= self.closed]
        for each in fresh[:-1]:
            self._seconds.remove(each)
        return max(0, len(fresh) - 1)

    def _clip(self, frames: tuple[CameraFrame, ...]) -> VideoChunk:
        numbers = "-".join(str(frame.place.number) for frame in frames)
        then = frames[1].pixels if len(frames) > 1 else None
        return second(f"{self._name}.{numbers}", frames[0].pixels, then, frames[0].source)
