"""Plays an answer as a loudspeaker would, and notes where it ran dry. Pure."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Playback:
    """Sound is played from when its first piece comes.

    Attributes:
        gaps: How long the loudspeaker waited each time, in seconds.
    """

    began: float | None = None
    ends: float = 0.0
    sound_s: float = 0.0
    gaps: list[float] = field(default_factory=list)

    def feed(self, at: float, seconds: float) -> None:
        """A piece of so many seconds has come at that time."""
        if self.began is None:
            self.began = self.ends = at
        elif at > self.ends:
            self.gaps.append(at - self.ends)
            self.ends = at
        self.ends += seconds
        self.sound_s += seconds
