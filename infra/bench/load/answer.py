"""What becomes of one question of a load test, as its answer comes and as it is told."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from infra.bench.base.speaking import BYTES_S
from infra.bench.load.events import (
    AudioReceived,
    Details,
    Done,
    Ended,
    Fault,
    Heard,
    Metadata,
    TextReceived,
    UsageReport,
)
from infra.bench.load.playback import Gap, Playback


@dataclass(frozen=True, slots=True)
class Served:
    """What became of one question. Times are in seconds from `response.create`; None: it never came.

    Attributes:
        at: When it was asked, in seconds of the whole run.
        turn: Its number in the call, from 1.
        status: As `response.done` says; `silent` if nothing was to be said, `lost` if there was none in time, or the
            call broke off, which a server that ends may still say.
        released: From the cancel to `response.done`.
        last_audio: From the cancel to the last sound that came after it.
        moments: What happened inside, on the session's clock, if the server tells.
        unread: Tokens of the question's prompt that had not been read before it was asked, if the server tells.
        errors: Codes of the `error` events that came meanwhile.
        text_begins: The first piece of its text.
    """

    at: float
    status: str
    first_text: float | None
    first_audio: float | None
    done: float | None
    audio_s: float
    gaps: tuple[Gap, ...]
    released: float | None = None
    last_audio: float | None = None
    moments: Mapping[str, float] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    turn: int = 1
    unread: int | None = None
    text_begins: str = ""

    @property
    def answered(self) -> bool:
        return self.status not in ("failed", "lost")


@dataclass(slots=True)
class MeasuredAnswer:
    """An answer as it comes.

    Attributes:
        response_id: None until it begins.
    """

    asked: float
    turn: int = 1
    response_id: str | None = None
    playback: Playback = field(default_factory=Playback)
    first_text: float | None = None
    text_begins: str = ""
    cancelled: float | None = None
    last_audio: float | None = None
    done: float | None = None
    response: Ended | None = None
    errors: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, heard: Heard, now: float) -> None:
        match heard:
            case AudioReceived(delta=delta):
                self.playback.feed(now, len(delta) * 3 / 4 / BYTES_S)
                self.last_audio = now
            case TextReceived(delta=delta):
                self.first_text, self.text_begins = self.first_text or now, self.text_begins or delta.lstrip()
            case Done(response=response):
                self.done, self.response = now, response
            case Fault(error=error):
                self.errors.append(str(error.code))
        self.changed.set()

    def served(self, began: float) -> Served:
        ended = self.response if self.response and not self.response.by_shutdown else Ended("lost")
        metadata = ended.metadata or Metadata()
        after = self.last_audio if self.cancelled and self.last_audio and self.last_audio > self.cancelled else None
        return Served(
            at=self.asked - began,
            status="silent" if metadata.decision == "silent" else ended.status,
            first_text=_since(self.asked, self.first_text),
            first_audio=_since(self.asked, self.playback.began),
            done=_since(self.asked, self.done),
            audio_s=self.playback.sound_s,
            gaps=tuple(self.playback.gaps),
            released=_since(self.cancelled, self.done),
            last_audio=_since(self.cancelled, after or self.cancelled),
            moments=metadata.moments(),
            errors=tuple(self.errors),
            turn=self.turn,
            unread=_unread(ended.usage or UsageReport()),
            text_begins=self.text_begins,
        )


def _since(earlier: float | None, later: float | None) -> float | None:
    return None if earlier is None or later is None else later - earlier


def _unread(usage: UsageReport) -> int | None:
    cached = (usage.input_token_details or Details()).cached_tokens
    return None if cached is None or usage.input_tokens is None else usage.input_tokens - cached
