"""How far a camera's frames have been prefilled, and up to which of them a question is about. Pure."""

from dataclasses import dataclass

from pipeline.vision.video_buffer import HALF_MS, NOWHERE, FrameId

STALE_S = 0.65  # how old what a question is about may be, so that it need not wait for what is newer: a frame and a bit
BUSY_STALE_S = 1.15  # while what is newer is being read: many who ask would read their newest seconds at once
SOON_S = 0.03  # until a prefill ends, which a question does not feel: its last words are still being made out
SECOND_S = 2 * HALF_MS / 1_000  # of a prefill, if the next second has closed when it ends
QUICK_S = HALF_MS / 2_000  # of a prefill, while nobody else waits for the engine: half of the time between two frames


@dataclass(slots=True)
class PrefillTracker:
    """Is told when each prefill begins and ends; a prefill is of all frames up to one.

    Attributes:
        upto: The newest frame that has been prefilled.
        under_way: The newest frame of the prefill that runs; None: none does.
    """

    upto: FrameId = NOWHERE
    under_way: FrameId | None = None
    _began: float = 0.0
    _apart: bool = False
    _took_s: float | None = None
    _took_before_s: float | None = None

    @property
    def is_quick(self) -> bool:
        """Prefills end before the next frame comes, and leave as much time to others."""
        return self._took_s is None or self._took_s <= QUICK_S

    @property
    def is_slow(self) -> bool:
        """The newest prefill took so long that the next second closed meanwhile: more comes than can be prefilled."""
        return self._took_s is not None and self._took_s > SECOND_S

    def is_behind(self, by_s: float, now: float) -> bool:
        """The two newest prefills took longer than that each, or the newest and the one that runs."""
        took, before = self._took_s or 0.0, self._took_before_s or 0.0
        runs = now - self._began if self.under_way else 0.0
        return took > by_s and max(before, runs) > by_s

    @property
    def begun_upto(self) -> FrameId:
        """The newest frame that has been prefilled, or is being."""
        return max(self.upto, self.under_way or NOWHERE)

    def begin(self, upto: FrameId, now: float, *, apart: bool = False) -> None:
        """Notes that the prefill of all up to a frame has begun.

        Args:
            apart: The prefill is of a conversation that does not hold yet, such as one that is being pruned: a
                question that comes meanwhile has no use for it.
        """
        self.under_way, self._began, self._apart = upto, now, apart

    def end(self, upto: FrameId, now: float, *, wrote: bool = False) -> None:
        """Notes that it has ended.

        Args:
            wrote: Words were written behind it, so that how long it took says nothing.
        """
        if self.under_way == upto:
            if not wrote:
                self._took_before_s, self._took_s = self._took_s, now - self._began
            self.under_way = None
            self.reach(upto)

    def stop(self, now: float) -> None:
        """Note that the prefill under way was given up."""
        if self.under_way and now - self._began > (self._took_s or QUICK_S):
            self._took_before_s, self._took_s = self._took_s, now - self._began
        self.under_way = None

    def reach(self, upto: FrameId) -> None:
        """Note that all frames up to there have been prefilled, however long that took."""
        self.upto = max(self.upto, upto)

    def soon(self, now: float) -> FrameId:
        """The newest frame that has been prefilled, or will be within `SOON_S`."""
        if self.under_way is None or self._apart or self._took_s is None:
            return self.upto
        return max(self.upto, self.under_way) if self._began + self._took_s <= now + SOON_S else self.upto

    def question(self, newest: FrameId, now: float) -> FrameId:
        """The newest frame that a question asked now is about.

        It does not wait for frames that are not prefilled, unless all that are are stale: then it is about all frames.
        What is stale is older where newer frames are being prefilled.
        """
        read = self.soon(now)
        is_being_read = self.under_way is not None and self.under_way > read and not self._apart
        stale_s = BUSY_STALE_S if is_being_read else STALE_S
        return read if now - read.came <= stale_s else newest
