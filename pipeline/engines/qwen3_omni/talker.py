"""Speaks what the thinker writes, as it is written: one request of vLLM's an answer."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from pipeline.aio.signal import Signal
from pipeline.aio.tasks import BackgroundTasks
from pipeline.engines.captions import Captions
from pipeline.engines.prompt_queue import PromptQueue
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.engines.vllm.request_engine import RequestEngine
from pipeline.engines.vllm.scheduling.playback_lead import PlaybackLead
from pipeline.errors import EngineError, RequestError
from pipeline.models.hidden_states.row_pool import RowLayout
from pipeline.models.hidden_states.row_reader import RowReader, RowReaders, RowsMissingError
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.qwen3_omni.extra_args import telling
from pipeline.models.qwen3_omni.prompt import OmniPromptWriter, speaker_of
from pipeline.models.qwen3_tts.extra_args import Choice
from pipeline.models.qwen3_tts.prompt import VoiceChoice
from pipeline.models.qwen3_tts.sentence import FramePace, Sentence
from pipeline.models.shared.engine_io import PromptChunk, RequestSampling, StreamingPromptEngine
from pipeline.types.chunks import CODEBOOKS, CodecChunk

STAGE = "talker"
MOST_THOUGHTS = 64  # that may wait to be spoken
MOST_IDS = 8  # that a part waits for: with as many frames, asking for each part costs nothing
NO_FRAMES = np.zeros((0, CODEBOOKS), np.int16)
ANY = 1 << 30  # an answer is spoken whole, however long


@dataclass(frozen=True, slots=True)
class OmniTalkerSettings:
    """How all answers are spoken.

    Attributes:
        sampling, choice: How codebook 0 is drawn, and the others.
        playback_lead_s: Most sound of an answer that is drawn ahead of its playback; 0: any.
    """

    voice: VoiceChoice
    sampling: RequestSampling
    choice: Choice
    pace: FramePace = field(default_factory=lambda: FramePace(least=0, ids=ANY))
    playback_lead_s: float = 0.0


class OmniTalkerEngine(RequestEngine):
    """`Engine[ThoughtChunk, CodecChunk]`. What the thinker heard reaches the engine's process through a pool.

    The model knows no speed.

    Args:
        layout: Of that pool: its pages bound what all answers have heard that are about to begin.
    """

    def __init__(
        self, requests: StreamingPromptEngine, config: OmniConfig, settings: OmniTalkerSettings, layout: RowLayout
    ) -> None:
        super().__init__(requests)
        self.voices = tuple(dict.fromkeys((settings.voice.speaker.lower(), *config.talker.speaker_id)))
        self.speeds = None
        self._requests = requests
        self._config = config
        self._settings = settings
        self._pool = RowReaders(layout)

    async def generate(self, request_id: str, prompts: AsyncIterator[ThoughtChunk]) -> AsyncGenerator[CodecChunk, None]:
        """Speaks the answers, and yields their codec frames as they are drawn. An answer without a word has none.

        Raises:
            EngineError: The engine failed, the pool had no room for what was heard, or there is no such voice.
        """
        thoughts = PromptQueue(prompts, MOST_THOUGHTS)
        async with BackgroundTasks() as tasks:
            tasks.start(f"{request_id}:thoughts", thoughts.follow)
            for number in count():
                answer = Answer(thoughts, self._config, self._settings)
                if not await answer.begin():
                    return
                if not answer.sentence.known:
                    continue
                async with aclosing(self._speak(f"{request_id}.{number}", answer)) as speech:
                    async for chunk in speech:
                        yield chunk

    @property
    def rows_held(self) -> int:
        """How many positions have room in the pool now."""
        return self._pool.pool.rows_held

    async def aclose(self) -> None:
        await super().aclose()
        self._pool.close()

    async def _speak(self, request_id: str, answer: "Answer") -> AsyncGenerator[CodecChunk, None]:
        sentence, lead, changed = answer.sentence, PlaybackLead(self._settings.playback_lead_s), Signal()
        with self._pool.open() as reader:
            parts = _parts(answer, self._told(answer, reader), lead, changed)
            async with aclosing(self._requests.generate(request_id, self._settings.sampling, parts)) as pieces:
                async for written in pieces:
                    frames = sentence.note(written)
                    lead.drew(len(frames))
                    reader.release_all()  # what was heard has been read before the first frame
                    changed.fire()
                    if sentence.over:
                        yield CodecChunk(frames, answer.captions.rest(), ends=True)
                        break
                    if len(frames):
                        yield CodecChunk(frames, answer.captions.until(sentence.made - len(frames)))
                    sentence.take(len(frames))
                    changed.fire()
        await answer.drain()
        if unspoken := answer.captions.rest():
            yield CodecChunk(NO_FRAMES, unspoken, ends=True)

    def _told(self, answer: "Answer", reader: RowReader) -> dict[str, object]:
        """What the engine is told of what was heard."""
        try:
            return telling(reader.request.pool, reader.write(answer.heard.states), answer.heard.prompt.grids)
        except RowsMissingError as error:
            raise EngineError(STAGE, str(error)) from error


class Answer:
    """One answer, whose words come as they are written.

    Attributes:
        captions: Tell with which frame they are taken to begin.
    """

    def __init__(self, thoughts: PromptQueue[ThoughtChunk], config: OmniConfig, settings: OmniTalkerSettings) -> None:
        self._thoughts = thoughts
        self._config = config
        self._settings = settings
        self.captions = Captions("")
        self.ended = False

    async def begin(self) -> bool:
        """Waits for the first word; False if there is no answer any more."""
        first = await self._thoughts.take()
        if first is None:
            return False
        assert first.heard is not None, "an answer begins with what was heard before it"
        self.heard = first.heard
        writer = OmniPromptWriter(self._config, self.heard.prompt)
        told = self._settings
        self.sentence = Sentence(writer, self._voice(first.voice), told.choice, pace=told.pace)
        self._feed(first)
        while not self.sentence.known and not self.ended:
            await self.go_on()
        return True

    async def go_on(self) -> None:
        """Takes the next words, and all that wait behind them. The end of the thoughts ends the answer."""
        self._feed(await self._thoughts.take())
        while self._thoughts.waits and not self.ended:
            self._feed(await self._thoughts.take())

    async def drain(self) -> None:
        """The voice has come to its end: what else is written of this answer is shown, and not spoken."""
        while not self.ended:
            thought = await self._thoughts.take()
            self.ended = thought is None or thought.ends
            self.captions.add(thought.text if thought else "", self.sentence.known)

    def _feed(self, thought: ThoughtChunk | None) -> None:
        self.ended = thought is None or thought.ends
        if thought and thought.text:
            self.captions.add(thought.text, self.sentence.known)
        self.sentence.feed(thought.spoken if thought else (), ends=self.ended)

    def _voice(self, name: str) -> VoiceChoice:
        if not name:
            return self._settings.voice
        try:
            speaker_of(self._config, name)
        except RequestError as error:
            raise EngineError(STAGE, error.message) from error
        return VoiceChoice(name)


async def _parts(
    answer: Answer, heard: dict[str, object], lead: PlaybackLead, changed: Signal
) -> AsyncGenerator[PromptChunk, None]:
    """What the engine is asked for, a part as soon as there is room for it ahead of playback. It waits for words only
    when no frame can be made without more."""
    sentence = answer.sentence
    while not sentence.over:
        if wanted := sentence.wanted:
            part = sentence.chunk(await lead.room(wanted))
            yield replace(part, extra_args={**part.extra_args, **heard})
            heard = {}
        elif sentence.hungry and not sentence.running:
            least = sentence.known + min(sentence.made + 1, MOST_IDS)
            while sentence.known < least and not answer.ended:
                await answer.go_on()
        else:
            await changed.wait()
