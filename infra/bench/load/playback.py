"""Plays an answer as a loudspeaker would, and notes where it ran dry. Pure."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Gap:
    """The loudspeaker waited, in seconds, after so much sound of the answer."""

    seconds: float
    after_s: float


@dataclass(slots=True)
class Playback:
    """Sound is played from when its first piece comes."""

    began: float | None = None
    ends: float = 0.0
    sound_s: float = 0.0
    gaps: list[Gap] = field(default_factory=list)

    def feed(self, at: float, seconds: float) -> None:
        """A piece of so many seconds has come at that time."""
        if self.began is None:
            self.began = self.ends = at
        elif at > self.ends:
            self.gaps.append(Gap(at - self.ends, self.sound_s))
            self.ends = at
        self.ends += seconds
        self.sound_s += seconds
