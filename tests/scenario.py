"""Tells a conversation with a session on virtual time: who says what when, and what the caller is told."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from pipeline.engines.fake import FakeEngine, hears, speaks, writes
from pipeline.media.sample_rates import SPEECH_RATE
from pipeline.session.session import Session
from pipeline.speech.end_of_turn import EndOfTurnModel
from pipeline.speech.vad_frontend import FRAME, Pcm
from pipeline.topology.config import StageExecutionType, StagePipelineConfig
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import AsrInput, AudioChunk, ChatPrompt, Clause, TextChunk, Transcript
from pipeline.types.events.event_sink import SessionEvent
from pipeline.types.events.response_events import AudioDelta, ResponseDone, TextDelta, TranscriptDelta
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import TurnRequest

E = TypeVar("E")
AR = StageExecutionType.LLM_AR


async def to_chat(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
    async for question in inbox:
        limit = question.response_options.max_tokens
        yield ChatPrompt(question.messages(), question.response_options.cache_salt, 200 if limit is None else limit)


async def to_sentences(inbox: AsyncIterator[TextChunk], request: TurnRequest) -> AsyncGenerator[Clause, None]:
    sentence = ""
    async for piece in inbox:
        sentence += piece.text
        if sentence and (piece.ends or sentence.endswith((".", "?", "!"))):
            yield Clause(sentence, request.response_options.voice)
            sentence = ""
    if sentence:
        yield Clause(sentence, request.response_options.voice)


ASR = StagePipelineConfig(0, "asr", AR, (), "text", "Scripted", requires_multimodal_data=True)
AURA = StagePipelineConfig(
    1,
    "aura",
    AR,
    (0,),
    "text",
    "Scripted",
    final_output=True,
    final_output_type="text",
    custom_process_input_func=to_chat,
)
TTS = StagePipelineConfig(
    2,
    "tts",
    AR,
    (1,),
    "audio",
    "Scripted",
    final_output=True,
    final_output_type="audio",
    custom_process_input_func=to_sentences,
)
INFLIGHT = 8  # pieces of text that may wait for the voice


class Loudness:
    """A voice activity detector for tests: whatever is loud is speech."""

    async def feed(self, pcm: Pcm) -> list[float]:
        return [float(np.abs(frame).max() > 0.1) for frame in pcm.reshape(-1, FRAME)]


@dataclass(slots=True)
class Told:
    """Writes down what a caller is told, with the second of each event."""

    events: list[tuple[float, SessionEvent]] = field(default_factory=list)

    def emit(self, event: SessionEvent) -> None:
        self.events.append((round(asyncio.get_running_loop().time(), 3), event))


@dataclass(slots=True)
class Caller:
    """A person on the line, and all that they are told, with the second of each event."""

    session: Session
    told: list[tuple[float, SessionEvent]]

    async def says(self, seconds: float) -> None:
        await self._sound(seconds, 0.5)

    async def is_silent(self, seconds: float) -> None:
        await self._sound(seconds, 0.0)

    def all(self, kind: type[E]) -> list[E]:
        return [event for _, event in self.told if isinstance(event, kind)]

    def answer(self) -> ResponseDone:
        """The newest answer that has ended."""
        return self.all(ResponseDone)[-1]

    def remembered(self, item_id: str) -> str:
        item = self.session.history.find(item_id)
        assert item, f"no item {item_id}"
        return item.text

    def when(self, kind: type[SessionEvent]) -> list[float]:
        return [at for at, event in self.told if isinstance(event, kind)]

    def heard_text(self) -> str:
        return "".join(event.text for _, event in self.told if isinstance(event, TranscriptDelta | TextDelta))

    def heard_ms(self) -> float:
        return sum(AudioChunk(event.pcm).duration_ms for _, event in self.told if isinstance(event, AudioDelta))

    async def _sound(self, seconds: float, level: float) -> None:
        for _ in range(round(seconds * SPEECH_RATE / FRAME)):
            await self.session.append(np.full(FRAME, level, np.float32))
            await asyncio.sleep(FRAME / SPEECH_RATE)


@dataclass(slots=True)
class Line:
    """Scripted engines that a session can be put on."""

    asr: FakeEngine[AsrInput, Transcript] = field(default_factory=lambda: hears("What is the capital of France?"))
    aura: FakeEngine[ChatPrompt, TextChunk] = field(default_factory=lambda: writes("The capital is Paris."))
    tts: FakeEngine[Clause, AudioChunk] = field(default_factory=speaks)
    early_answer_ms: int = 0

    @property
    def questions(self) -> list[ChatPrompt]:
        """What was to be answered; what was only read ahead is not among it."""
        return [chat for chat in self.aura.prompts if chat.max_tokens]

    @property
    def read_ahead(self) -> list[str]:
        """The conversations that were only read, line by line."""
        return [
            "\n".join(message.text for message in chat.messages) for chat in self.aura.prompts if not chat.max_tokens
        ]

    def stages(self) -> PipelineStages:
        chain = (Stage(AURA, self.aura, to_chat, INFLIGHT), Stage(TTS, self.tts, to_sentences))
        return PipelineStages(self.asr, chain, early_answer_ms=self.early_answer_ms)

    @asynccontextmanager
    async def call(
        self, options: SessionOptions | None = None, end_model: EndOfTurnModel | None = None
    ) -> AsyncGenerator[Caller, None]:
        told = Told()
        session = Session("s", self.stages(), Loudness(), told, end_model=end_model)
        async with session:
            if options:
                session.configure(options)
            yield Caller(session, told.events)
