"""Answers what was said, heard and seen, and takes out of the thinker's engine what the talker must hear."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import count

import numpy as np

from pipeline.engines.qwen3_omni.prompt import OmniPrompt
from pipeline.engines.qwen3_omni.thought import HeardStates, ThoughtChunk
from pipeline.engines.qwen3_omni.writing import Piece, Writing
from pipeline.engines.vllm.request_engine import RequestEngine
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.errors import EngineError, RequestError
from pipeline.models.hidden_states.extra_args import asking
from pipeline.models.hidden_states.row_pool import RowLayout
from pipeline.models.hidden_states.row_reader import RowReader, RowReaders, RowsMissingError
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.qwen3_omni.media import engine_prompt
from pipeline.models.qwen3_omni.prompt import HeardPrompt, heard_prompt
from pipeline.models.qwen3_omni.text import OmniText
from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.models.shared.engine_io import PromptChunk, PromptEngine
from pipeline.types.chunks import TextChunk

STAGE = "thinker"


@dataclass(frozen=True, slots=True)
class ThinkerEngineSettings:
    """How all prompts are answered.

    Attributes:
        most_prompt_tokens: A longer prompt is refused.
        heard_positions: Most of what people said that the talker is told.
    """

    sampling_defaults: SamplingDefaults
    most_prompt_tokens: int
    heard_positions: int = 2_048


class ThinkerEngine(RequestEngine):
    """`Engine[OmniPrompt, TextChunk | ThoughtChunk]`. Rows leave the engine's process with the first token.

    Args:
        layout: Of the pool that rows leave by: its pages bound what all prompts under way have heard.
    """

    def __init__(
        self,
        requests: PromptEngine,
        config: OmniConfig,
        text: OmniText,
        engine_settings: ThinkerEngineSettings,
        layout: RowLayout,
    ) -> None:
        super().__init__(requests)
        self._requests = requests
        self._config = config
        self._text = text
        self._engine_settings = engine_settings
        self._sampling = engine_settings.sampling_defaults.sampling(text.stops)
        self._readers = RowReaders(layout)

    async def generate(self, request_id: str, prompts: AsyncIterator[OmniPrompt]) -> AsyncGenerator[Piece, None]:
        """Answers each prompt: words for people, and their tokens for the talker, with what was heard before them.

        One with `max_tokens` 0 is only prefilled, and yields nothing; neither does silence, but for what it has taken.

        Raises:
            EngineError: A prompt is longer than the model reads, the engine failed, or the pool had no room for what
                was heard.
        """
        numbers = count()
        async for prompt in prompts:
            name = f"{request_id}.{next(numbers)}"
            if prompt.say is not None:
                for piece in self._recited(prompt.say if prompt.max_tokens else ""):
                    yield piece
                continue
            asked = prompt_chunk(prompt, self._text, self._config)
            self._check(asked)
            if not prompt.max_tokens:
                async with aclosing(self._requests.answer(name, self._sampling, asked, prompt.priority)) as unheard:
                    async for _ in unheard:
                        """It was only to be prefilled."""
                continue
            async with aclosing(self._answer(name, asked, prompt.priority)) as pieces:
                async for piece in pieces:
                    yield piece

    @property
    def rows_held(self) -> int:
        """How many positions have room in the pool now."""
        return self._readers.pool.rows_held

    async def aclose(self) -> None:
        await super().aclose()
        self._readers.close()

    async def _answer(self, request_id: str, asked: PromptChunk, priority: int) -> AsyncGenerator[Piece, None]:
        heard = self._heard(asked)
        most = self._engine_settings.sampling_defaults.most(asked.max_tokens)
        writing: Writing | None = None
        with self._readers.open(heard.spans, decode=False) as reader:
            told = PromptChunk(
                asked.token_ids, most, extra_args=asking(reader.request), media=asked.media, cache_salt=asked.cache_salt
            )
            async with aclosing(self._requests.answer(request_id, self._sampling, told, priority)) as pieces:
                async for written in pieces:
                    if writing is None:
                        seen = sum(each.tokens for each in asked.media if each.grid)
                        writing = Writing(self._text, HeardStates(heard, _states(reader, heard)), seen)
                        reader.release_all()
                    for piece in writing.feed(written):
                        yield piece
                    if writing.is_silent:
                        break
            if writing:
                yield writing.finish()

    def _recited(self, text: str) -> Iterator[Piece]:
        """A text that is given is spoken by itself: of words, the talker reads no hidden states."""
        spoken = self._text.ids(escape_control_tokens(text))
        if not spoken:
            return
        nothing = np.empty((0, self._readers.pool.layout.row_bytes), np.uint8)
        yield TextChunk(text)
        yield ThoughtChunk(spoken, spoken, True, HeardStates(HeardPrompt((), self._text.role, ()), nothing), text)

    def _heard(self, asked: PromptChunk) -> HeardPrompt:
        grids, most = [each.grid for each in asked.media if each.grid], self._engine_settings.heard_positions
        try:
            return heard_prompt(self._config, asked.token_ids, grids, most)
        except RequestError as error:
            raise EngineError(STAGE, error.message) from error

    def _check(self, asked: PromptChunk) -> None:
        size, most = len(asked.token_ids), self._engine_settings.most_prompt_tokens
        if size > most:
            raise EngineError(STAGE, f"the prompt has {size} tokens, and at most {most} are read")


def prompt_chunk(prompt: OmniPrompt, text: OmniText, config: OmniConfig) -> PromptChunk:
    """The prompt as the engine is given it: all ids, and what stands in the place of those for sound and pictures."""
    ids, media = engine_prompt(prompt.parts, text, config, prompt.cache_salt)
    return PromptChunk(ids, prompt.max_tokens or 1, media=media, cache_salt=prompt.cache_salt)


def _states(reader: RowReader, heard: HeardPrompt) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    none = np.empty((0, reader.pool.layout.row_bytes), np.uint8)
    try:
        return np.concatenate([none, *(reader.read(*span) for span in heard.spans)])
    except RowsMissingError as error:
        raise EngineError(STAGE, str(error)) from error
