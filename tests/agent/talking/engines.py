"""Scripted engines: a recogniser that reads words in sound, a model that answers by a table, a voice that spells."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pipeline.engines.fake import FakeEngine, Step, words_of
from pipeline.errors import EngineError
from pipeline.media.sample_rates import SPEECH_RATE, VOICE_RATE
from pipeline.turns.stage import Stage
from pipeline.turns.stages import PipelineStages
from pipeline.types.chunks import AsrInput, AudioChunk, ChatPrompt, Clause, TextChunk, Transcript
from tests.agent.talking.spelling import Spelling
from tests.scenario import AURA, INFLIGHT, TTS, to_chat, to_sentences

C = TypeVar("C")
LETTER_S = 0.055  # of the agent's speech

STORY = " ".join(f"Part {n} of the story goes on and on." for n in range(1, 9))
COUNT = " ".join(f"Number {n}." for n in range(1, 31))
ANSWERS = {  # by a word of the question
    "story": STORY,
    "count": COUNT,
    "capital": "The capital is Paris.",
    "weather": "It is sunny today.",
    "two": "That makes four.",
    "thank": "",
    "stop": "",
}


@dataclass
class Engines:
    """What computes, and how well.

    Attributes:
        person, voice: How the person's words and the agent's are spelt.
        broken: Stages that fail from now on: `asr`, `aura` or `tts`.
        pass_s: A recogniser's pass takes so long.
        first_s, word_s: To the first word of an answer, and to each further one.
        clause_s: To the first sound of a clause.
        sees: Somebody looks at pictures; so there may be remarks.
    """

    person: Spelling = field(default_factory=Spelling)
    voice: Spelling = field(default_factory=Spelling)
    broken: set[str] = field(default_factory=set)
    pass_s: float = 0.1
    first_s: float = 0.2
    word_s: float = 0.02
    clause_s: float = 0.1
    sees: bool = False
    answers: Callable[[str], str] = lambda question: answer(question)

    def __post_init__(self) -> None:
        self.asr: FakeEngine[AsrInput, Transcript] = FakeEngine(self._hears, abort_s=0.05)
        self.aura: FakeEngine[ChatPrompt, TextChunk] = FakeEngine(self._writes, abort_s=0.05)
        self.tts: FakeEngine[Clause, AudioChunk] = FakeEngine(self._speaks, abort_s=0.05)

    @property
    def running(self) -> list[str]:
        return [*self.asr.running, *self.aura.running, *self.tts.running]

    @property
    def asked(self) -> list[ChatPrompt]:
        """What was to be answered, guesses among it."""
        return [prompt for prompt in self.aura.prompts if prompt.max_tokens]

    def stages(self) -> PipelineStages:
        writer = replace(AURA, requires_multimodal_data=self.sees)
        chain = (Stage(writer, self.aura, to_chat, INFLIGHT), Stage(TTS, self.tts, to_sentences))
        return PipelineStages(self.asr, chain)

    def _hears(self, window: AsrInput) -> Iterable[Step[Transcript]]:
        text = " ".join(self.person.read(window.pcm, SPEECH_RATE))
        yield self._takes("asr", self.pass_s, Transcript(text, window.audio_end_ms, window.settles))

    def _writes(self, prompt: ChatPrompt) -> Iterable[Step[TextChunk]]:
        words = words_of(self.answers(newest_question(prompt)))[: prompt.max_tokens]
        for at, word in enumerate(words or [""]):
            yield self._takes("aura", self.word_s if at else self.first_s, TextChunk(word))

    def _speaks(self, clause: Clause) -> Iterable[Step[AudioChunk]]:
        spelt = [self.voice.spell(word, length_s(word), VOICE_RATE) for word in clause.text.split()]
        pcm = b"".join(each.tobytes() for each in spelt)
        yield self._takes("tts", self.clause_s, AudioChunk(pcm, clause.text))

    def _takes(self, stage: str, seconds: float, made: C) -> Step[C]:
        return seconds, EngineError(stage, "broken") if stage in self.broken else made


def length_s(word: str) -> float:
    """How long the agent speaks a word, with what is between it and the next."""
    return LETTER_S * (len(word) + 1)


def answer(question: str) -> str:
    """By the last word of the question that the table knows."""
    known = [ANSWERS[word] for word in _plain(question) if word in ANSWERS]
    return known[-1] if known else "I see what you mean."


def newest_question(prompt: ChatPrompt) -> str:
    """All that was said since the last answer."""
    said: list[str] = []
    for message in reversed(prompt.messages):
        if message.role == "assistant":
            break
        said.insert(0, message.text)
    return " ".join(said)


def _plain(text: str) -> list[str]:
    return [word.strip(".,?!…").lower() for word in text.split()]


async def until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until that holds.

    Raises:
        AssertionError: It does not, after so many seconds.
    """
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end, f"waited {seconds} s for: {what}"
        await asyncio.sleep(0.02)
