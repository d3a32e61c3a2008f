"""The fake engine: answers prompts from a script, in exact seconds of loop time."""

import asyncio
import math
import re
from array import array
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Generic, TypeVar

from pipeline.engines.common_prefix import common_prefix
from pipeline.errors import EngineError
from pipeline.media.sample_rates import VOICE_RATE
from pipeline.types.chunks import (
    AsrInput,
    AudioChunk,
    ChatPrompt,
    Clause,
    FinishReason,
    TextChunk,
    TokenUsage,
    Transcript,
)

P = TypeVar("P")
C = TypeVar("C")

CALLERS_READ = 64

Step = tuple[float, C | EngineError]  # seconds after the step before it, and what happens then


@dataclass(frozen=True, slots=True)
class FakeEngine(Generic[P, C]):
    """An `Engine` that does what `script(prompt)` says and remembers what was asked of it.

    Attributes:
        script: The timed chunks (or one last error) that answer a prompt.
        abort_s: Seconds from closing a request until the engine has dropped it.
        prompts: Every prompt, in order of arrival.
        aborted: Ids of the requests that were closed before their last chunk was taken.
        running: Ids of the requests that compute now.
    """

    script: Callable[[P], Iterable[Step[C]]]
    abort_s: float = 0.0
    prompts: list[P] = field(default_factory=list)
    aborted: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)

    async def generate(self, request_id: str, prompts: AsyncIterator[P]) -> AsyncGenerator[C, None]:
        async for prompt in prompts:
            self.prompts.append(prompt)
            self.running.append(request_id)
            try:
                for seconds, step in self.script(prompt):
                    await asyncio.sleep(seconds)
                    if isinstance(step, EngineError):
                        raise step
                    yield step
            except (asyncio.CancelledError, GeneratorExit):
                self.aborted.append(request_id)
                await asyncio.sleep(self.abort_s)
                raise
            finally:
                self.running.remove(request_id)

    async def busy(self) -> int:
        return len(self.running)

    async def aclose(self) -> None:
        """Nothing to free."""


def hears(*texts: str, pass_s: float = 0.0) -> FakeEngine[AsrInput, Transcript]:
    """A recogniser: its n-th window reads `texts[n]`, later ones the last; a pass takes `pass_s`."""
    left = list(texts)

    def script(window: AsrInput) -> Iterable[Step[Transcript]]:
        text = left.pop(0) if len(left) > 1 else left[0]
        yield pass_s, Transcript(text, window.audio_end_ms, window.settles)

    return FakeEngine(script)


def writes(
    answer: str | Callable[[ChatPrompt], str], first_s: float = 0.0, word_s: float = 0.0
) -> FakeEngine[ChatPrompt, TextChunk]:
    """A language model: the first word after `first_s`, each further one `word_s` later.

    Words are its tokens. It remembers the last prompt of each of the newest 64 callers, as a cache of prefixes would.
    """
    read: dict[str, list[str]] = {}  # who asked last is last

    def script(chat: ChatPrompt) -> Iterable[Step[TextChunk]]:
        prompt = [word for message in chat.messages for word in words_of(message.text)]
        usage = TokenUsage(len(prompt), 0, common_prefix(prompt, read.pop(chat.cache_salt, ())))
        read[chat.cache_salt] = prompt
        if len(read) > CALLERS_READ:
            del read[next(iter(read))]
        words = words_of(answer if isinstance(answer, str) else answer(chat))
        for position, word in enumerate(words[: chat.max_tokens]):
            cut = position + 1 == chat.max_tokens < len(words)
            finish_reason: FinishReason | None = "length" if cut else None
            yield (
                (word_s if position else first_s),
                TextChunk(word, replace(usage, written=position + 1), finish_reason),
            )
        if not words and chat.max_tokens:
            yield first_s, TextChunk("", usage)

    return FakeEngine(script)


def speaks(ms_per_word: int = 300, clause_s: float = 0.0, hz: float = 440.0) -> FakeEngine[Clause, AudioChunk]:
    """A voice: a tone of `ms_per_word` for each word, one `AudioChunk` a clause, made in `clause_s`."""

    def script(clause: Clause) -> Iterable[Step[AudioChunk]]:
        yield clause_s, AudioChunk(tone(ms_per_word * len(clause.text.split()), hz), clause.text)

    return FakeEngine(script)


def words_of(text: str) -> list[str]:
    """The words of a text, each with the whitespace before it; they concatenate to the text."""
    return re.findall(r"\s*\S+|\s+$", text)


@lru_cache(64)
def tone(ms: int, hz: float = 440.0) -> bytes:
    """PCM16, 24 kHz mono."""
    step = 2 * math.pi * hz / VOICE_RATE
    return array("h", (int(8000 * math.sin(step * n)) for n in range(ms * VOICE_RATE // 1000))).tobytes()
