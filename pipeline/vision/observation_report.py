"""Which of a camera's observations its caller is told: what has changed, and each second that it has not. Pure."""

from dataclasses import dataclass

from pipeline.media.video_chunk import VideoSource
from pipeline.types.observation import Observation

LEAST_S = 0.45  # between two reports: two a second, give or take what a camera's frames do
REPEATED_S = 0.9  # after which the same is told again, so that whoever shows it knows that it still holds


@dataclass(slots=True)
class ObservationReport:
    """Is fed with one observation after the other, and says which of them are told."""

    _told: tuple[Observation, VideoSource] | None = None
    _told_at: float = float("-inf")

    def feed(self, seen: Observation, source: VideoSource, now: float) -> bool:
        """Takes the newest observation; returns whether it is told.

        Args:
            now: On the loop's clock, in seconds.
        """
        wait_s = REPEATED_S if (seen, source) == self._told else LEAST_S
        if now - self._told_at < wait_s:
            return False
        self._told, self._told_at = (seen, source), now
        return True
