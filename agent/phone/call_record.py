"""The record of one phone call: one log event at its end, without a word of what was said."""

import asyncio
import logging
from datetime import datetime, timedelta

import msgspec

logger = logging.getLogger(__name__)

TIMINGS, DECISION = "aura.timings", "aura.decision"


class CallRecord:
    """Reads what the state publisher publishes.

    Args:
        room: Its name; it names no caller.
        began: When the call came in, by the LiveKit server's clock.
        since_s: Seconds since then: many where another agent had it before.
    """

    def __init__(self, room: str, began: datetime, since_s: float = 0.0) -> None:
        self._room, self._began = room, began
        self._clock = asyncio.get_running_loop().time
        self._came = self._clock() - max(0.0, since_s)  # clocks differ
        self._active: float | None = None
        self._greeting_ms: int | None = None
        self._turns = 0
        self._latencies_ms: list[int] = []
        self._closed = False

    def active(self) -> None:
        """Both sides can hear each other."""
        self._active = self._clock()

    def heard_first(self) -> None:
        """Something is played; the first time, that is the greeting."""
        if self._greeting_ms is None and self._active is not None:
            self._greeting_ms = round((self._clock() - self._active) * 1000)

    def note(self, attributes: dict[str, str]) -> None:
        """Takes what would be shown to people in a room: there are none who look."""
        if timings := attributes.get(TIMINGS):
            latency_ms = msgspec.json.decode(timings)["speech_end_to_first_audio_ms"]
            self._latencies_ms += [latency_ms] if latency_ms is not None else []
        if decision := attributes.get(DECISION):
            self._turns += msgspec.json.decode(decision)["what"] == "turn"

    def close(self, reason: str) -> None:
        """The call is over; of several reasons the first one counts."""
        if self._closed:
            return
        self._closed = True
        seconds = self._clock() - self._came
        logger.info(
            "call record",
            extra={
                "room": self._room,
                "began": self._began.isoformat(timespec="seconds"),
                "ended": (self._began + timedelta(seconds=seconds)).isoformat(timespec="seconds"),
                "seconds": round(seconds, 1),
                "active": self._active is not None,
                "reason": reason,
                "turns": self._turns,
                "greeting_ms": self._greeting_ms,
                "latencies_ms": self._latencies_ms,
            },
        )
