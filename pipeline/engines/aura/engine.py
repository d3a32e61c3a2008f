"""Answers what was said and seen, or is silent: a request for each prompt, prefilled from where the last one ended."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import count

from pipeline.engines.vllm.request_engine import RequestEngine
from pipeline.engines.vllm.sampling_defaults import SamplingDefaults
from pipeline.errors import EngineError
from pipeline.media.video_chunk import VideoChunk
from pipeline.models.aura.media import engine_prompt
from pipeline.models.aura.text import AuraText
from pipeline.models.shared.engine_io import EngineOutput, PromptChunk, PromptEngine
from pipeline.types.chunks import FinishReason, MultimodalPrompt, TextChunk, TokenUsage
from pipeline.types.function_tools import ToolOptions

STAGE = "aura"
NO_TOOLS = ToolOptions()


@dataclass(frozen=True, slots=True)
class AuraEngineSettings:
    """How all prompts are answered.

    Attributes:
        most_prompt_tokens: A longer prompt is refused.
    """

    sampling_defaults: SamplingDefaults
    most_prompt_tokens: int


class AuraEngine(RequestEngine):
    """`Engine[MultimodalPrompt, TextChunk]`. Silence yields no word."""

    calls_functions = True

    def __init__(self, requests: PromptEngine, text: AuraText, engine_settings: AuraEngineSettings) -> None:
        super().__init__(requests)
        self._requests = requests
        self._text = text
        self._engine_settings = engine_settings
        self._sampling = engine_settings.sampling_defaults.sampling(text.stops)

    async def generate(
        self, request_id: str, prompts: AsyncIterator[MultimodalPrompt]
    ) -> AsyncGenerator[TextChunk, None]:
        """Answers each prompt in words; one with `max_tokens` 0 is only prefilled, and yields nothing.

        Raises:
            EngineError: A prompt is longer than the model reads, or the engine failed.
        """
        numbers = count()
        async for scene in prompts:
            chunk = as_chunk(scene, self._text)
            self._check(chunk)
            chunk = replace(chunk, max_tokens=self._engine_settings.sampling_defaults.most(chunk.max_tokens))
            name = f"{request_id}.{next(numbers)}"
            async with aclosing(self._requests.answer(name, self._sampling, chunk, scene.priority)) as pieces:
                if not scene.max_tokens:
                    async for _ in pieces:
                        """It was only to be prefilled."""
                    continue
                async with aclosing(self._words(pieces, seen(scene))) as words:
                    async for word in words:
                        yield word

    async def _words(self, pieces: AsyncGenerator[EngineOutput, None], seen: int) -> AsyncGenerator[TextChunk, None]:
        decoder, usage = self._text.decoder(), TokenUsage()
        finish_reason: FinishReason | None = None
        async for piece in pieces:
            if piece.chunk_ended:
                finish_reason = "stop" if piece.stopped else "length"
            usage = TokenUsage(piece.prompt_tokens, seen, piece.cached_tokens, usage.written + len(piece.token_ids))
            for word in decoder.feed([each for each in piece.token_ids if each not in self._text.stops]):
                yield TextChunk(word, usage)
        for word in decoder.finish():
            yield TextChunk(word)
        yield TextChunk("", usage, finish_reason)

    def _check(self, chunk: PromptChunk) -> None:
        size, most = len(chunk.token_ids), self._engine_settings.most_prompt_tokens
        if size > most:
            raise EngineError(STAGE, f"the prompt has {size} tokens, and at most {most} are read")


def seen(scene: MultimodalPrompt) -> int:
    """Tokens of what is looked at."""
    return sum(chunk.tokens for chunk in scene.parts if isinstance(chunk, VideoChunk))


def as_chunk(scene: MultimodalPrompt, text: AuraText) -> PromptChunk:
    token_ids, media = engine_prompt(scene, text)
    tools = scene.tools if scene.max_tokens else NO_TOOLS  # of what is only prefilled, nobody takes a token
    return PromptChunk(token_ids, scene.max_tokens or 1, media=media, cache_salt=scene.cache_salt, tools=tools)
