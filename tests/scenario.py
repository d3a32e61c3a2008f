"""Tells a conversation with a session on virtual time: who says what when, and what the caller is told."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from pipeline.engines.fake import Scripted, hears, speaks, writes
from pipeline.session.session import Session
from pipeline.speech.vad_frontend import FRAME, Pcm
from pipeline.topology.config import StageExecutionType, StagePipelineConfig
from pipeline.turns.stage import Stage
from pipeline.turns.stages import Stages
from pipeline.types.chunks import SPEECH_RATE, Audio, Chat, Clause, Text, Transcript, Window
from pipeline.types.session_events import AnswerDone, Event, Sounded, Spoke, Wrote
from pipeline.types.session_options import Setup
from pipeline.types.turn_request import Asked

E = TypeVar("E")
AR = StageExecutionType.LLM_AR


async def to_chat(inbox: AsyncIterator[Asked], asked: Asked) -> AsyncGenerator[Chat, None]:
    async for question in inbox:
        limit = question.wants.max_tokens
        yield Chat(question.messages(), question.wants.cache_salt, 200 if limit is None else limit)


async def to_sentences(inbox: AsyncIterator[Text], asked: Asked) -> AsyncGenerator[Clause, None]:
    sentence = ""
    async for piece in inbox:
        sentence += piece.text
        if sentence.endswith((".", "?", "!")):
            yield Clause(sentence, asked.wants.voice)
            sentence = ""
    if sentence:
        yield Clause(sentence, asked.wants.voice)


ASR = StagePipelineConfig(0, "asr", AR, (), "text", "Scripted")
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
class Caller:
    """A person on the line, and all that they are told, with the second of each event."""

    session: Session
    told: list[tuple[float, Event]]

    async def says(self, seconds: float) -> None:
        await self._sound(seconds, 0.5)

    async def is_silent(self, seconds: float) -> None:
        await self._sound(seconds, 0.0)

    def all(self, kind: type[E]) -> list[E]:
        return [event for _, event in self.told if isinstance(event, kind)]

    def answer(self) -> AnswerDone:
        """The newest answer that has ended."""
        return self.all(AnswerDone)[-1]

    def remembered(self, item_id: str) -> str:
        item = self.session.history.find(item_id)
        assert item, f"no item {item_id}"
        return item.text

    def when(self, kind: type[Event]) -> list[float]:
        return [at for at, event in self.told if isinstance(event, kind)]

    def heard_text(self) -> str:
        return "".join(event.text for _, event in self.told if isinstance(event, Spoke | Wrote))

    def heard_ms(self) -> float:
        return sum(Audio(event.pcm).duration_ms for _, event in self.told if isinstance(event, Sounded))

    async def _sound(self, seconds: float, level: float) -> None:
        for _ in range(round(seconds * SPEECH_RATE / FRAME)):
            await self.session.listening.hear(np.full(FRAME, level, np.float32))
            await asyncio.sleep(FRAME / SPEECH_RATE)


@dataclass(slots=True)
class Line:
    """Scripted engines that a session can be put on."""

    asr: Scripted[Window, Transcript] = field(default_factory=lambda: hears("What is the capital of France?"))
    aura: Scripted[Chat, Text] = field(default_factory=lambda: writes("The capital is Paris."))
    tts: Scripted[Clause, Audio] = field(default_factory=speaks)

    @property
    def questions(self) -> list[Chat]:
        """What was to be answered; what was only read ahead is not among it."""
        return [chat for chat in self.aura.prompts if chat.max_tokens]

    @property
    def read_ahead(self) -> list[str]:
        """The conversations that were only read, line by line."""
        return [
            "\n".join(message.text for message in chat.messages) for chat in self.aura.prompts if not chat.max_tokens
        ]

    def stages(self) -> Stages:
        return Stages(self.asr, (Stage(AURA, self.aura, to_chat, INFLIGHT), Stage(TTS, self.tts, to_sentences)))

    @asynccontextmanager
    async def call(self, setup: Setup | None = None) -> AsyncGenerator[Caller, None]:
        loop = asyncio.get_running_loop()
        told: list[tuple[float, Event]] = []
        session = Session("s", self.stages(), Loudness(), lambda event: told.append((round(loop.time(), 3), event)))
        async with session:
            if setup:
                session.configure(setup)
            yield Caller(session, told)
