"""One answer on its way to the caller: words at once, sound at the pace of playback."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from pipeline.context.conversation import Conversation
from pipeline.media.sample_rates import VOICE_RATE
from pipeline.session.answer_items import AnswerItems
from pipeline.session.playback_pace import PlaybackPace
from pipeline.session.response_request import ResponseRequest
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.types.chunks import TextChunk
from pipeline.types.events.event_sink import EventSink
from pipeline.types.events.response_events import (
    CancelReason,
    EnginesReleased,
    ResponseCreated,
    ResponseDone,
    Silence,
    Status,
)
from pipeline.types.function_tools import FunctionCall
from pipeline.types.playback_marks import PlaybackMark

PIECE_BYTES = VOICE_RATE * 2 // 5  # 200 ms: what leaves at once


class ActiveResponse:
    """Reads both lanes of `output`, and tells the caller what comes out, until it is `done`.

    Args:
        zero: When the session began, on the loop's clock: its timings count from there.
    """

    def __init__(
        self,
        request: ResponseRequest,
        output: SpeculativeOutput,
        conversation: Conversation,
        sink: EventSink,
        zero: float = 0.0,
    ) -> None:
        self.request = request
        self._zero = zero
        self._output = output
        self._sink = sink
        self._items = AnswerItems(request, output, conversation, sink)
        self._pace = PlaybackPace()
        self._created = _now()
        self._first_sent: float | None = None
        sink.emit(ResponseCreated(request.response_id, request.response_options, request.metadata, request.kept))

    @property
    def text(self) -> str:
        """All text that was emitted so far."""
        return self._items.text

    @property
    def has_opened(self) -> bool:
        """Whether any words were told."""
        return self._items.has_opened

    def is_telling(self, item_id: str) -> bool:
        """Whether a message of that id is under way."""
        return self._items.is_telling(item_id)

    async def deliver(self) -> Status:
        """Tell everything; returns how it ended, when the turn has ended and all of it was sent.

        Raises:
            EngineError: The turn ended with a failure; what was made before it has been told.
        """
        async with asyncio.TaskGroup() as lanes:
            lanes.create_task(self._emit_words(self._output.words()), name=f"{self.request.turn}:words")
            lanes.create_task(self._emit_sound(self._output.sound()), name=f"{self.request.turn}:sound")
        if self._output.error:
            raise self._output.error
        return "incomplete" if self._output.finish_reason == "length" else "completed"

    def truncate(self, item_id: str, played_ms: float) -> None:
        """The caller says that they have heard only so much of one of its messages."""
        self._items.truncate(item_id, played_ms)

    def played_ms(self) -> float:
        """How much of its first message the caller has heard by now, if they play the answer as it comes."""
        return self._items.first.played_ms(self._pace.played_ms)

    def finish(
        self,
        status: Status,
        *,
        reason: CancelReason | None = None,
        error: str | None = None,
        error_code: str = "engine_failed",
    ) -> None:
        """Leave what was heard of it in the conversation, and tell its end.

        Nothing more is told, whatever the tasks still do until they have gone.
        """
        request, items = self.request, self._items.finish(status, self._pace.played_ms)
        done = ResponseDone(
            request.response_id,
            request.response_options,
            request.metadata,
            status,
            items,
            self.text,
            reason,
            error,
            self._output.usage,
            self.timings(),
            request.kept,
            self._silence(status),
            error_code,
            self._pace.gaps,
            self._zero,
            dict(self._output.ended),
        )
        self._sink.emit(done)

    def dropped(self, cancelled: float) -> EnginesReleased:
        """The event that says when the engines let go, once all tasks have ended.

        Args:
            cancelled: When that was asked for, on the loop's clock.
        """
        ended, began = self._output.ended, self._output.began
        took = {stage: at - cancelled for stage, at in ended.items() if stage in began and at >= cancelled}
        return EnginesReleased(self.request.response_id, took)

    def timings(self) -> dict[str, float]:
        """When what happened that has, in seconds since the session began."""
        return {name: round(at - self._zero, 3) for name, at in self.moments().items() if at is not None}

    def moments(self) -> dict[str, float | None]:
        """When what happened, on the loop's clock."""
        first_chunks = self._output.first_chunks
        return {
            **self.request.moments,
            "heard": self._output.heard_at,
            "created": self._created,
            **{f"{stage}_began": at for stage, at in self._output.began.items()},
            **{f"{stage}_first": at for stage, at in self._output.made.items()},
            "first_text": first_chunks.text,
            "first_pcm": first_chunks.pcm,
            "first_sent": self._first_sent,
        }

    async def _emit_words(self, words: AsyncGenerator[TextChunk | PlaybackMark | FunctionCall, None]) -> None:
        is_spoken = self.request.response_options.modality == "audio"
        async with aclosing(words):
            async for word in words:
                match word:
                    case FunctionCall():
                        self._items.call(word)
                    case TextChunk():
                        self._items.write(word)
                    case PlaybackMark() if is_spoken:
                        self._items.speak(word)

    async def _emit_sound(self, sound: AsyncGenerator[tuple[int, bytes], None]) -> None:
        async with aclosing(sound):
            async for at, pcm in sound:
                for start in range(0, len(pcm), PIECE_BYTES):
                    piece = pcm[start : start + PIECE_BYTES]
                    place_ms = await self._pace.leave(piece)
                    timings = None
                    if self._first_sent is None:
                        self._first_sent = _now()
                        timings = self.timings()
                    self._items.sound(at, piece, place_ms, timings)

    def _silence(self, status: Status) -> Silence | None:
        """Why there is no word, of an answer that has ended well."""
        if not self._items.is_silent or status != "completed":
            return None
        if self._output.first_chunks.text is not None:
            return "unspoken"
        asked = self._output.began and self.request.response_options.say is None
        return "model" if asked else "no_words"


def _now() -> float:
    return asyncio.get_running_loop().time()
