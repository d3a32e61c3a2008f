"""When a recogniser reads the sound of an utterance again, and how much of it. Pure."""

from pipeline.speech.confirmed_text import LEAST_MS
from pipeline.speech.speech_window import FULL_WINDOW_MS, SpeechWindow, milliseconds
from pipeline.types.chunks import AsrInput, Transcript

AGAIN_MS = 1_000  # of new sound before a recogniser that has failed is given a full window again
QUICK_S = 0.022  # a pass that takes no longer is quick: the recogniser has little else to do


class PassSchedule:
    """Decides when the next pass over `window` is due, and knows of the newest what is still to come of it.

    A pass is due where what comes of it stands (in a lull, at a pause, at the end, and once the window is full), and
    after `partial_ms` of new sound, or two fifths of that where the pass before was quick. A lull that went by while
    the recogniser was at work is read up to later. A pass that is due to settle takes the place of one under way that
    was not to. Times are of one clock, in seconds.

    Args:
        partial_ms: New sound of running speech that is reason for a pass; None: none is.

    Attributes:
        has_missed: The newest pass has failed.
    """

    def __init__(self, window: SpeechWindow, partial_ms: int | None) -> None:
        self._window, self._partial_ms = window, partial_ms
        self._asked = 0  # how much of the window the newest pass was to read, in samples
        self._newest: AsrInput | None = None  # while the recogniser is at work on it
        self._began, self._is_quick = 0.0, False
        self.has_missed = False

    @property
    def is_due(self) -> bool:
        """There is reason for a pass, and the recogniser is at work on none that it would not replace."""
        useless = self._newest is None or (self._settles and not self._newest.settles)
        return self.has_unread and useless and (self._settles or self._partial_is_due)

    @property
    def is_under_way(self) -> bool:
        """The recogniser is at work."""
        return self._newest is not None

    @property
    def has_unread(self) -> bool:
        """There may be speech that the newest pass was not to read."""
        return self._window.speech_end > self._asked

    @property
    def is_complete(self) -> bool:
        """All that may be speech has been read, and nothing of it is still to come."""
        return not (self.has_unread or self.is_under_way or self.has_missed)

    def begin(self, language: str | None, context: str, now: float) -> AsrInput:
        """Begins the pass that is due; returns what the recogniser is to read, in that language and context.

        Of more than a recogniser takes at once, a part is read first, which settles.
        """
        settles, end = self._settles, self._missed_lull or self._window.samples
        self._asked = self._window.readable(end)
        settles |= self._asked < end
        self._newest = AsrInput(self._window.pcm(self._asked), language, settles, context)
        self._began = now
        return self._newest

    def end(self, transcript: Transcript, now: float) -> bool:
        """The recogniser tells what it heard in a pass; returns whether that is the newest one."""
        is_newest = self._newest is None or self._newest.audio_end_ms == transcript.audio_end_ms
        self._is_quick = is_newest and now - self._began <= QUICK_S
        self._newest, self.has_missed = None if is_newest else self._newest, False
        return is_newest

    def miss(self, *, at_once: bool) -> None:
        """The newest pass has failed. The next is due when there is more to read, or `at_once`."""
        self._newest, self.has_missed, self._is_quick = None, True, False
        self._asked = 0 if at_once else self._window.samples

    def retry(self) -> None:
        """The person has fallen silent: what the newest pass could not read is read again."""
        if self.has_missed:
            self._asked = 0

    def begin_at(self, place: int) -> None:
        """The window begins at that place now, in samples of what it was."""
        self._asked = max(0, self._asked - place)

    @property
    def _settles(self) -> bool:
        """What came of a pass now would stand."""
        window = self._window
        return not window.speaking or window.in_lull or self._is_full or self._missed_lull > 0

    @property
    def _is_full(self) -> bool:
        again = not self.has_missed or self._new_ms >= AGAIN_MS
        return self._window.ms >= FULL_WINDOW_MS and again

    @property
    def _missed_lull(self) -> int:
        """Where a lull ended in which no pass began, if the person speaks on and that may be confirmed; else 0."""
        window = self._window
        missed = window.speaking and not window.in_lull and window.lull_end > self._asked
        return window.lull_end if missed and milliseconds(window.lull_end) >= LEAST_MS else 0

    @property
    def _partial_is_due(self) -> bool:
        if self._partial_ms is None or self._window.is_quiet:  # a pass just before a lull would delay the one in it
            return False
        return self._new_ms >= (self._partial_ms * 2 // 5 if self._is_quick else self._partial_ms)

    @property
    def _new_ms(self) -> int:
        return milliseconds(self._window.samples - self._asked)
