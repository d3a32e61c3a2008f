"""How long somebody has waited for an answer: from the end of the speech that it answers, and from the request."""


class LatencyTracker:
    """Most sounds are no turns, and what is written has no sound: only a turn's own end counts, for its own answer."""

    def __init__(self) -> None:
        self._paused: float | None = None
        self._speech_end: float | None = None

    def paused(self, at: float) -> None:
        """Somebody fell silent; what they did until then may be a turn."""
        self._paused = at

    def spoke(self) -> None:
        """It is one."""
        self._speech_end = self._paused

    def asked_otherwise(self) -> None:
        """The next answer is to what somebody wrote, or to speech that has not ended."""
        self._speech_end = None

    def over(self, asked_at: float, sounded_at: float | None, now: float) -> tuple[int | None, int]:
        """An answer is heard: milliseconds from the end of speech, and from the request to the first sound."""
        speech_end, self._speech_end = self._speech_end, None
        since_speech = None if speech_end is None else round((now - speech_end) * 1000)
        return since_speech, round(((sounded_at or now) - asked_at) * 1000)
