"""This module knows which of a person's cameras and shared screens give pictures, and which of them came last."""

from dataclasses import dataclass

from agent.video.sourced_frame import VideoSource


@dataclass(frozen=True, slots=True)
class LiveSource:
    """A track that gives pictures.

    Attributes:
        sid: LiveKit's name of the track.
    """

    sid: str
    source: VideoSource


@dataclass(frozen=True, slots=True)
class LiveSources:
    """All that give pictures now, in the order in which they began; one that was muted begins again when it is not."""

    began: tuple[LiveSource, ...] = ()

    @property
    def newest(self) -> LiveSource | None:
        return self.began[-1] if self.began else None

    def with_started(self, started: LiveSource) -> "LiveSources":
        """Return them with one more; what gives pictures already keeps its place."""
        return self if started in self.began else LiveSources((*self.began, started))

    def without(self, sid: str) -> "LiveSources":
        """Return them without one, whether it was muted or has ended; unchanged if it is not among them."""
        return LiveSources(tuple(each for each in self.began if each.sid != sid))
