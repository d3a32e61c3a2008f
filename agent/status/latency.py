"""This module measures how long somebody has waited for an answer: since their speech ended, and since the request."""


class LatencyTracker:
    """Measures the wait for an answer from the end of its own turn.

    Most sounds are no turns, and what is written has no sound.
    """

    def __init__(self) -> None:
        self._paused: float | None = None
        self._speech_end: float | None = None

    def paused(self, at: float) -> None:
        """Note when somebody fell silent; what they did until then may be a turn."""
        self._paused = at

    def spoke(self) -> None:
        """Note that it is one."""
        self._speech_end = self._paused

    def asked_otherwise(self) -> None:
        """Note that the next answer is to what somebody wrote, or to speech that has not ended."""
        self._speech_end = None

    def over(self, asked_at: float, sounded_at: float | None, now: float) -> tuple[int | None, int]:
        """Return the waits for an answer that is heard now, in ms: since speech, and from request to first sound."""
        speech_end, self._speech_end = self._speech_end, None
        since_speech = None if speech_end is None else round((now - speech_end) * 1000)
        return since_speech, round(((sounded_at or now) - asked_at) * 1000)
