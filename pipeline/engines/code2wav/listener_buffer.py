"""When a listener who plays each chunk as it comes will need the next one. Pure."""

from dataclasses import dataclass

FRAME_S = 0.08
MARGIN_S = 0.12  # before the listener runs dry a chunk is decoded at the latest: a batch, its way, and a bit


@dataclass(frozen=True, slots=True)
class ListenerBuffer:
    """What was sent of a stream; it plays from the first chunk on.

    Attributes:
        ends: When the listener has played all of it.
    """

    ends: float = 0.0

    def sent(self, frames: int, now: float) -> "ListenerBuffer":
        return ListenerBuffer(max(self.ends, now) + frames * FRAME_S)

    def due(self, asked: float, patience_s: float) -> float:
        """When the next chunk is to be decoded at the latest, if it was asked for then.

        Args:
            patience_s: Longest that it may wait.
        """
        return min(asked + patience_s, max(asked, self.ends - MARGIN_S))
