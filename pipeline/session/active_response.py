"""One answer on its way to the caller: words at once, sound at the pace of playback."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from pipeline.turns.speculative_output import Held
from pipeline.types.chunks import VOICE_RATE, Audio, Text, Turn
from pipeline.types.history import Item
from pipeline.types.playback_marks import Mark
from pipeline.types.session_events import (
    AnswerDone,
    AnswerDropped,
    AnswerStarted,
    CancelReason,
    Event,
    Sounded,
    Spoke,
    Status,
    Wrote,
)
from pipeline.types.turn_request import Wants

AHEAD_S = 1.5  # how far the sound that has left may be ahead of playback
PIECE_BYTES = VOICE_RATE * 2 // 5  # 200 ms: what leaves at once


@dataclass(frozen=True, slots=True)
class Request:
    """A `response.create`: what the answer is called, and how it is wanted.

    Attributes:
        kept: The conversation keeps the answer.
        moments: When what happened before, on the loop's clock.
    """

    turn: Turn
    response_id: str
    item_id: str
    wants: Wants
    metadata: Mapping[str, str] = field(default_factory=dict)
    kept: bool = True
    moments: Mapping[str, float | None] = field(default_factory=dict)


class Answer:
    """Reads both lanes of `held`, and tells the caller what comes out.

    Args:
        opened: Called once, before the first word is told.
        tell: Takes each event; none any more once the answer is `done`.
    """

    def __init__(self, request: Request, held: Held, opened: Callable[[], None], tell: Callable[[Event], None]) -> None:
        self.request = request
        self._held = held
        self._opened = opened
        self._tell = tell
        self._told: list[str] = []
        self.has_opened = False
        self._is_done = False
        self._sent_ms = 0.0
        self._playback_began: float | None = None
        self._created = _now()
        self._first_sent: float | None = None
        self.tasks: list[asyncio.Task[None]] = []
        self.truncated_ms: float | None = None
        tell(AnswerStarted(request.response_id, request.wants, request.metadata, request.kept))

    @property
    def text(self) -> str:
        """All that was told so far."""
        return "".join(self._told)

    async def deliver(self) -> None:
        """Tell everything; returns when the turn has ended and all of it was sent.

        Raises:
            EngineError: The turn ended with a failure; what was made before it has been told.
        """
        async with asyncio.TaskGroup() as lanes:
            lanes.create_task(self._tell_words(self._held.words()), name=f"{self.request.turn}:words")
            lanes.create_task(self._tell_sound(self._held.sound()), name=f"{self.request.turn}:sound")
        if self._held.error:
            raise self._held.error

    def played_ms(self) -> float:
        """How much of it the caller has heard by now, if they play it as it comes."""
        if self.truncated_ms is not None:
            return self.truncated_ms
        if self._playback_began is None:
            return 0.0
        return min(self._sent_ms, (_now() - self._playback_began) * 1000)

    def item(self, *, complete: bool) -> Item:
        """The answer as an item of the history, with all that it was to say."""
        request = self.request
        return Item(
            request.item_id, "assistant", self.text, request.wants.modality, complete=complete, marks=self._held.marks
        )

    def done(
        self,
        status: Status,
        item: Item | None,
        timings: Mapping[str, float],
        *,
        previous: str | None = None,
        reason: CancelReason | None = None,
        error: str | None = None,
    ) -> AnswerDone:
        """The last event. Nothing more is told, whatever the tasks still do until they have gone.

        Args:
            previous: Id of the item in front of `item`.
        """
        self._is_done = True
        request = self.request
        return AnswerDone(
            request.response_id,
            request.wants,
            request.metadata,
            status,
            item,
            self.text,
            reason,
            error,
            self._held.usage,
            timings,
            request.kept,
            previous,
        )

    def dropped(self, cancelled: float) -> AnswerDropped:
        """Its tasks have gone.

        Args:
            cancelled: When that was asked for, on the loop's clock.
        """
        ended, began = self._held.ended, self._held.began
        took = {stage: at - cancelled for stage, at in ended.items() if stage in began and at >= cancelled}
        return AnswerDropped(self.request.response_id, took)

    def moments(self) -> dict[str, float | None]:
        """When what happened, on the loop's clock."""
        firsts = self._held.firsts
        return {
            **self.request.moments,
            "created": self._created,
            **{f"{stage}_began": at for stage, at in self._held.began.items()},
            "first_text": firsts.text,
            "first_pcm": firsts.pcm,
            "first_sent": self._first_sent,
        }

    async def _tell_words(self, words: AsyncGenerator[Text | Mark, None]) -> None:
        spoken = self.request.wants.modality == "audio"
        async with aclosing(words):
            async for word in words:
                if isinstance(word, Mark) is spoken:
                    self._tell_word(word)

    def _tell_word(self, word: Text | Mark) -> None:
        request = self.request
        match word:
            case Text(text):
                self._give(Wrote(request.response_id, request.item_id, text))
            case Mark(text, start_ms, end_ms):
                self._give(Spoke(request.response_id, request.item_id, text, start_ms, end_ms))

    def _give(self, event: Wrote | Spoke | Sounded) -> None:
        if self._is_done:
            return
        if not self.has_opened:
            self.has_opened = True
            self._opened()
        if not isinstance(event, Sounded):
            self._told.append(event.text)
        self._tell(event)

    async def _tell_sound(self, sound: AsyncGenerator[bytes, None]) -> None:
        async with aclosing(sound):
            async for pcm in sound:
                for start in range(0, len(pcm), PIECE_BYTES):
                    await self._send(pcm[start : start + PIECE_BYTES])

    async def _send(self, pcm: bytes) -> None:
        offset_s = self._sent_ms / 1000
        end_ms = self._sent_ms + Audio(pcm).duration_ms
        if self._playback_began is None or _now() - self._playback_began > offset_s:
            self._playback_began = _now() - offset_s  # the first piece, or playback has run dry
        await asyncio.sleep(self._playback_began + end_ms / 1000 - AHEAD_S - _now())
        if self._first_sent is None:
            self._first_sent = _now()
        self._sent_ms = end_ms
        self._give(Sounded(self.request.response_id, self.request.item_id, pcm))


def _now() -> float:
    return asyncio.get_running_loop().time()
