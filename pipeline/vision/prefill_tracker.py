"""How far a camera's frames have been read, and which of them a question is about that is asked now. Pure."""

from dataclasses import dataclass

from pipeline.vision.video_buffer import HALF_MS, NOWHERE, FrameId

STALE_S = 0.65  # how old what a question is about may be, so that it need not wait for what is newer: a frame and a bit
SOON_S = 0.03  # until the end of a reading that a question does not feel: its last words are still being made out
QUICK_S = HALF_MS / 2_000  # of a reading, while nobody else waits for the engine: half of the time between two frames


@dataclass(slots=True)
class PrefillTracker:
    """Told of each reading when it begins and ends. A reading is of all frames up to one.

    Attributes:
        upto: The newest that has been read.
        under_way: The newest of what is being read.
    """

    upto: FrameId = NOWHERE
    under_way: FrameId | None = None
    _began: float = 0.0
    _apart: bool = False
    _took_s: float | None = None

    @property
    def is_quick(self) -> bool:
        """Readings end before the next frame comes, and leave as much time to others."""
        return self._took_s is None or self._took_s <= QUICK_S

    def begin(self, upto: FrameId, now: float, *, apart: bool = False) -> None:
        """
        Args:
            apart: Of another conversation than holds: no question that comes meanwhile finds it.
        """
        self.under_way, self._began, self._apart = upto, now, apart

    def end(self, upto: FrameId, now: float) -> None:
        if self.under_way == upto:
            self._took_s, self.under_way = now - self._began, None
            self.reach(upto)

    def stop(self, now: float) -> None:
        """It was given up."""
        if self.under_way and now - self._began > (self._took_s or QUICK_S):
            self._took_s = now - self._began
        self.under_way = None

    def reach(self, upto: FrameId) -> None:
        """Those have been read, however long that took."""
        self.upto = max(self.upto, upto)

    def soon(self, now: float) -> FrameId:
        """The newest that has been read, or is about to be."""
        if self.under_way is None or self._apart or self._took_s is None:
            return self.upto
        return max(self.upto, self.under_way) if self._began + self._took_s <= now + SOON_S else self.upto

    def question(self, newest: FrameId, now: float) -> FrameId:
        """What is asked now is about all frames up to there.

        It does not wait for what has not been read, unless all that has been is stale: then it is about everything.
        """
        read = self.soon(now)
        return read if now - read.came <= STALE_S else newest
