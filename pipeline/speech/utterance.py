"""One utterance at work: its sound being heard, and an answer to it being prepared behind a closed door."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from pipeline.engines.base import Engine
from pipeline.speech.backchannel import label
from pipeline.speech.streaming_transcriber import Hypothesis, StreamingTranscriber
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.types.chunks import AsrInput, Transcript, TurnId
from pipeline.types.history import History, Item
from pipeline.types.session_events import PartialTranscript, SessionEvent, TranscriptionCompleted, TranscriptionFailed
from pipeline.types.turn_request import ResponseOptions, TurnRequest

AHEAD_MS = 3_000  # of sound that may wait in a turn for playback


@dataclass(slots=True)
class TurnContext:
    """What a turn knows of its session (`turn.View`).

    Attributes:
        item_id: The user's item that is being said, or None if all that is asked is in the history.
        response_options: Looked up anew at each question, because a `response.create` may change it.
    """

    history: Callable[[], History]
    stages: Callable[[ResponseOptions], tuple[Stage[Any, Any], ...]]
    response_options: Callable[[], ResponseOptions]
    item_id: str | None = None

    def ask(self, text: str) -> TurnRequest:
        history, item_id = self.history(), self.item_id
        if item_id is None:
            return TurnRequest(history, self.response_options())
        if history.find(item_id):
            return TurnRequest(history.with_text(item_id, text), self.response_options())
        return TurnRequest(history.with_item(Item(item_id, "user", text, "audio")), self.response_options())

    def route(self, request: TurnRequest) -> tuple[Stage[Any, Any], ...]:
        return self.stages(request.response_options)


@dataclass(slots=True)
class Utterance:
    """An utterance and the tasks that serve it.

    Attributes:
        listening: Runs the recogniser over the sound.
        answering: Runs the turn; set as soon as both exist.
        emit: Told what was heard; set as soon as somebody listens.
        rests: Called when the person is silent, before anything is made of what they said.
        resumes: Called when they go on.
        speech_end: When the person was last heard to speak, on the loop's clock.
        committed_at: When it became complete.
    """

    turn: TurnId
    item_id: str
    transcriber: StreamingTranscriber
    question: TurnContext
    output: SpeculativeOutput = field(default_factory=lambda: SpeculativeOutput(AHEAD_MS))
    listening: asyncio.Task[None] | None = None
    answering: asyncio.Task[None] | None = None
    rests: Callable[[], None] = lambda: None
    resumes: Callable[[], None] = lambda: None
    emit: Callable[[SessionEvent], None] = lambda _: None
    speech_end: float | None = None
    committed_at: float | None = None

    @property
    def quiet_since(self) -> float | None:
        return self.committed_at or self.speech_end

    def resume(self) -> None:
        """The person speaks (again)."""
        paused = not self.transcriber.speaking
        self.transcriber.resume()
        if paused:
            self.resumes()

    def pause(self, silent_ms: int) -> None:
        """The person is silent, and has been for `silent_ms`."""
        if self.transcriber.speaking:
            self.speech_end = asyncio.get_running_loop().time() - silent_ms / 1000
            self.rests()
            before = self.transcriber.newest
            self.transcriber.pause(silent_ms)
            if self.transcriber.newest != before:  # all was heard in the lull: no transcript comes
                self._emit_heard(self.transcriber.newest)

    def fall_silent(self, silent_ms: int) -> None:
        """The caller says that the person is silent. They are told what was heard, even if it was all told before:
        they cannot know that it holds for the sound up to their own pause."""
        if self.transcriber.speaking:
            self.pause(silent_ms)
        elif self.transcriber.newest.settled:
            self._emit_heard(self.transcriber.newest)

    def _emit_heard(self, hypothesis: Hypothesis) -> None:
        self.emit(PartialTranscript(self.item_id, hypothesis, label(hypothesis.text)))

    async def listen(self, recogniser: Engine[AsrInput, Transcript], emit: Callable[[SessionEvent], None]) -> None:
        """Hear it to its end, and tell what was heard."""
        transcriber, self.emit = self.transcriber, emit
        async with aclosing(transcriber.listen(recogniser, f"{self.turn}:asr")) as hypotheses:
            async for hypothesis in hypotheses:
                self._emit_heard(hypothesis)
        if transcriber.error:
            await transcriber.until_committed()
            emit(TranscriptionFailed(self.item_id, transcriber.error.reason))
        else:
            seconds = transcriber.duration_ms / 1000
            emit(TranscriptionCompleted(self.item_id, transcriber.newest.text, seconds, tuple(transcriber.drafts)))

    async def hypotheses(self, busy: Callable[[], bool]) -> AsyncGenerator[Hypothesis, None]:
        """What to answer; while `busy`, nothing is worth a guess, and only the certain end tells anything."""
        transcriber = self.transcriber
        async with aclosing(transcriber.hypotheses()) as hypotheses:
            async for hypothesis in hypotheses:
                yield hypothesis if transcriber.certain or not busy() else Hypothesis("")
        if transcriber.error:
            self.output.fail(transcriber.error)

    def moments(self) -> dict[str, float | None]:
        """When what happened, on the loop's clock."""
        return {"speech_end": self.speech_end, "committed": self.committed_at}

    def tasks(self) -> list[asyncio.Task[None]]:
        return [task for task in (self.listening, self.answering) if task]
