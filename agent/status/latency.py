"""This module measures how long somebody has waited for an answer: since their speech ended, and since the request."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.status.stage_timings import AnswerMoments, StageTimings, stage_timings


@dataclass(frozen=True, slots=True)
class AnswerWait:
    """The wait for an answer, in ms.

    Attributes:
        since_speech_ms: From the end of speech until it is heard; None: nobody has spoken.
        since_create_ms: From the request until its first sound came.
    """

    since_speech_ms: int | None
    since_create_ms: int
    stages: StageTimings


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

    def over(self, asked_at: float, sounded_at: float | None, now: float, pipeline: Mapping[str, float]) -> AnswerWait:
        """Return the wait for an answer that is heard now; `pipeline`: its timings there."""
        speech_end, self._speech_end = self._speech_end, None
        since_speech = None if speech_end is None else round((now - speech_end) * 1000)
        answer = AnswerMoments(asked_at, sounded_at or now, now, speech_end)
        return AnswerWait(since_speech, round((answer.sounded_at - asked_at) * 1000), stage_timings(answer, pipeline))
