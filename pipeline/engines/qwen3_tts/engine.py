"""Speaks clauses in codec frames: one request of vLLM's a sentence, its text appended as it is written.

It begins with the first word that it is told: clauses may be as short as that. A word that is only begun has its first
frame drawn ahead, from its first token, and heard once the whole word begins with the same.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from pipeline.aio.signal import Signal
from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.captions import Captions
from pipeline.engines.prompt_queue import PromptQueue
from pipeline.engines.vllm.request_engine import RequestEngine
from pipeline.engines.vllm.scheduling.playback_lead import PlaybackLead
from pipeline.errors import EngineError, RequestError
from pipeline.models.qwen3_tts.extra_args import Choice
from pipeline.models.qwen3_tts.prompt import LANGUAGES, TalkerPromptWriter, VoiceChoice
from pipeline.models.qwen3_tts.script import Script
from pipeline.models.qwen3_tts.sentence import FramePace, Sentence
from pipeline.models.shared.engine_io import PromptChunk, RequestSampling, StreamingPromptEngine
from pipeline.types.chunks import CODEBOOKS, Clause, CodecChunk

STAGE = "qwen3_tts"
MOST_CLAUSES = 64  # that may wait to be spoken
MOST_IDS = 8  # of text that a part waits for: with as many frames, asking for each part costs nothing


@dataclass(frozen=True, slots=True)
class TalkerEngineSettings:
    """How all requests are spoken.

    Attributes:
        voice: The speaker of clauses that name none; empty: the checkpoint has no speakers.
        sampling, choice: How codebook 0 is drawn, and the others.
        playback_lead_s: Most sound of an answer that is drawn ahead of its playback; 0: any.
    """

    voice: str
    sampling: RequestSampling
    choice: Choice
    pace: FramePace = field(default_factory=FramePace)
    playback_lead_s: float = 0.0


class TalkerEngine(RequestEngine):
    """`Engine[Clause, CodecChunk]`. A sentence keeps the voice that its first clause asks for.

    The model knows no speed: that of a clause is not looked at. `instructions` may ask for slow speech.
    """

    def __init__(
        self, requests: StreamingPromptEngine, writer: TalkerPromptWriter, engine_settings: TalkerEngineSettings
    ) -> None:
        self.voices = voices(writer, engine_settings.voice)
        self.voice_languages = voice_languages(writer)
        self.most_instructions = writer.most_instructions
        self.speeds = None
        super().__init__(requests)
        self._requests = requests
        self._writer = writer
        self._engine_settings = engine_settings

    async def generate(self, request_id: str, prompts: AsyncIterator[Clause]) -> AsyncGenerator[CodecChunk, None]:
        """Speaks the clauses, a sentence for each request, and yields its codec frames as they are drawn.

        Raises:
            EngineError: The checkpoint lacks the voice or the language of a clause, or the engine failed.
        """
        clauses = PromptQueue(prompts, MOST_CLAUSES)
        script, lead = Script(clauses, self._writer.tokenize), PlaybackLead(self._engine_settings.playback_lead_s)
        async with BackgroundTasks() as tasks:
            tasks.start(f"{request_id}:clauses", clauses.follow)
            for number in count():
                line = await script.begin()
                if line is None:
                    return
                if not line.ids:
                    yield codes((), line.said)
                    continue
                sentence = Sentence(
                    self._writer,
                    self._voice(line.clause),
                    self._engine_settings.choice,
                    pace=self._engine_settings.pace,
                )
                sentence.feed(line.ids, ends=line.ends)
                speech = self._speak(f"{request_id}.{number}", sentence, script, Captions(line.said), lead)
                async with aclosing(speech):
                    async for chunk in speech:
                        yield chunk

    async def _speak(
        self, request_id: str, sentence: Sentence, script: Script, captions: Captions, lead: PlaybackLead
    ) -> AsyncGenerator[CodecChunk, None]:
        changed = Signal()
        parts = _parts(sentence, script, captions, lead, changed)
        async with aclosing(self._requests.generate(request_id, self._engine_settings.sampling, parts)) as pieces:
            async for written in pieces:
                frames = sentence.note(written)
                if script.is_ahead and not await _go_on(sentence, script, captions):
                    return
                lead.drew(len(frames))
                changed.fire()
                if sentence.over:
                    yield CodecChunk(frames, captions.rest(), ends=True)
                    return
                if len(frames):
                    yield CodecChunk(frames, captions.until(sentence.made - len(frames)))
                sentence.take(len(frames))
                changed.fire()

    def _voice(self, clause: Clause) -> VoiceChoice:
        voice = voice_in(clause if self.voices else replace(clause, voice=""), self._engine_settings.voice)
        try:
            self._writer.check(voice)
        except RequestError as error:
            raise EngineError(STAGE, error.message) from error
        return voice


async def _parts(
    sentence: Sentence, script: Script, captions: Captions, lead: PlaybackLead, changed: Signal
) -> AsyncGenerator[PromptChunk, None]:
    """What the engine is asked for, a part as soon as there is room for it ahead of playback. It reads clauses only
    when no frame can be made without more text, and then enough for as many frames as there were, one more, so that
    parts grow with what there is to play meanwhile."""
    while not sentence.over:
        if wanted := sentence.wanted:
            yield sentence.chunk(await lead.room(wanted))
        elif sentence.hungry and not (sentence.running or script.is_ahead):
            await _go_on(sentence, script, captions)
        else:
            await changed.wait()


async def _go_on(sentence: Sentence, script: Script, captions: Captions) -> bool:
    """Feeds the next line of the script; False: the sentence has to begin anew."""
    line = await script.go_on(min(sentence.made + 1, MOST_IDS))
    if line:
        captions.add(line.said, sentence.known)
        sentence.feed(line.ids, ends=line.ends)
    return line is not None


def voices(writer: TalkerPromptWriter, first: str) -> tuple[str, ...]:
    """The speakers of the checkpoint, the one that speaks unless another is asked for in front."""
    return tuple(dict.fromkeys(name for name in (first.lower(), *writer.config.talker.spk_id) if name))


def voice_languages(writer: TalkerPromptWriter) -> tuple[str, ...]:
    """The codes of the languages that the checkpoint speaks."""
    return tuple(code for code, name in LANGUAGES.items() if name in writer.config.talker.codec_language_id)


def voice_in(clause: Clause, otherwise: str = "") -> VoiceChoice:
    """How a clause wants to be spoken, by `otherwise` if it names no voice."""
    return VoiceChoice(clause.voice or otherwise, clause.language, clause.instructions)


def codes(frames: Sequence[Sequence[int]], text: str) -> CodecChunk:
    return CodecChunk(np.asarray(frames, np.int16).reshape(-1, CODEBOOKS), text)
