"""One utterance at work: its sound being heard, and an answer to it being prepared behind a closed door."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from pipeline.engines.base import Engine
from pipeline.speech.backchannel import label
from pipeline.speech.streaming_transcriber import Hearing, Hypothesis
from pipeline.turns.speculative_output import Held
from pipeline.turns.stage import Stage
from pipeline.types.chunks import Transcript, Turn, Window
from pipeline.types.history import History, Item
from pipeline.types.session_events import Event, Partial, Transcribed, TranscriptionFailed
from pipeline.types.turn_request import Asked, Wants

AHEAD_MS = 3_000  # of sound that may wait in a turn for playback


@dataclass(slots=True)
class Question:
    """What a turn knows of its session (`turn.View`).

    Attributes:
        item_id: The user's item that is being said, or None if all that is asked is in the history.
        wants: Looked up anew at each question, because a `response.create` may change it.
    """

    history: Callable[[], History]
    stages: Callable[[Wants], tuple[Stage[Any, Any], ...]]
    wants: Callable[[], Wants]
    item_id: str | None = None

    def ask(self, text: str) -> Asked:
        history, item_id = self.history(), self.item_id
        if item_id is None:
            return Asked(history, self.wants())
        if history.find(item_id):
            return Asked(history.with_text(item_id, text), self.wants())
        return Asked(history.with_item(Item(item_id, "user", text, "audio")), self.wants())

    def route(self, asked: Asked) -> tuple[Stage[Any, Any], ...]:
        return self.stages(asked.wants)


@dataclass(slots=True)
class Utterance:
    """An utterance and the tasks that serve it.

    Attributes:
        listening: Runs the recogniser over the sound.
        answering: Runs the turn; set as soon as both exist.
        tell: Told what was heard; set as soon as somebody listens.
        rests: Called when the person is silent, before anything is made of what they said.
        resumes: Called when they go on.
        speech_end: When the person was last heard to speak, on the loop's clock.
        committed_at: When it became complete.
    """

    turn: Turn
    item_id: str
    hearing: Hearing
    question: Question
    held: Held = field(default_factory=lambda: Held(AHEAD_MS))
    listening: asyncio.Task[None] | None = None
    answering: asyncio.Task[None] | None = None
    rests: Callable[[], None] = lambda: None
    resumes: Callable[[], None] = lambda: None
    tell: Callable[[Event], None] = lambda _: None
    speech_end: float | None = None
    committed_at: float | None = None

    @property
    def quiet_since(self) -> float | None:
        return self.committed_at or self.speech_end

    def resume(self) -> None:
        """The person speaks (again)."""
        paused = not self.hearing.speaking
        self.hearing.resume()
        if paused:
            self.resumes()

    def pause(self, silent_ms: int) -> None:
        """The person is silent, and has been for `silent_ms`."""
        if self.hearing.speaking:
            self.speech_end = asyncio.get_running_loop().time() - silent_ms / 1000
            self.rests()
            before = self.hearing.newest
            self.hearing.pause(silent_ms)
            if self.hearing.newest != before:  # all was heard in the lull: no transcript comes
                self._tell_heard(self.hearing.newest)

    def fall_silent(self, silent_ms: int) -> None:
        """The caller says that the person is silent. They are told what was heard, even if it was all told before:
        they cannot know that it holds for the sound up to their own pause."""
        if self.hearing.speaking:
            self.pause(silent_ms)
        elif self.hearing.newest.settled:
            self._tell_heard(self.hearing.newest)

    def _tell_heard(self, hypothesis: Hypothesis) -> None:
        self.tell(Partial(self.item_id, hypothesis, label(hypothesis.text)))

    async def listen(self, recogniser: Engine[Window, Transcript], tell: Callable[[Event], None]) -> None:
        """Hear it to its end, and tell what was heard."""
        hearing, self.tell = self.hearing, tell
        windows = hearing.windows()
        transcripts = recogniser.generate(f"{self.turn}:asr", windows)
        async with aclosing(windows), aclosing(hearing.listen(transcripts)) as hypotheses:
            async for hypothesis in hypotheses:
                self._tell_heard(hypothesis)
        if hearing.error:
            await hearing.until_committed()
            tell(TranscriptionFailed(self.item_id, hearing.error.reason))
        else:
            seconds = hearing.duration_ms / 1000
            tell(Transcribed(self.item_id, hearing.newest.text, seconds, tuple(hearing.drafts)))

    async def hypotheses(self, busy: Callable[[], bool]) -> AsyncGenerator[Hypothesis, None]:
        """What to answer; while `busy`, nothing is worth a guess, and only the certain end tells anything."""
        hearing = self.hearing
        async with aclosing(hearing.hypotheses()) as hypotheses:
            async for hypothesis in hypotheses:
                yield hypothesis if hearing.certain or not busy() else Hypothesis("")
        if hearing.error:
            self.held.fail(hearing.error)

    def moments(self) -> dict[str, float | None]:
        """When what happened, on the loop's clock."""
        return {"speech_end": self.speech_end, "committed": self.committed_at}

    def tasks(self) -> list[asyncio.Task[None]]:
        return [task for task in (self.listening, self.answering) if task]
