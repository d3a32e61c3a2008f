"""Writes answers with the thinker, and takes out of its engine what the talker must hear."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from itertools import count

import numpy as np

from pipeline.engines.qwen3_omni.thought import HeardStates, ThoughtChunk
from pipeline.errors import EngineError, RequestError
from pipeline.models.hidden_states.extra_args import asking
from pipeline.models.hidden_states.row_pool import RowLayout
from pipeline.models.hidden_states.row_reader import RowReader, RowReaders, RowsMissingError
from pipeline.models.qwen3_omni.config import OmniConfig
from pipeline.models.qwen3_omni.prompt import HeardPrompt, heard_prompt
from pipeline.models.shared.engine_io import PromptChunk, PromptEngine, RequestSampling

STAGE = "thinker"


class ThinkerEngine:
    """`Engine[PromptChunk, ThoughtChunk]`. Rows leave the engine's process with the first token of an answer.

    Args:
        layout: Of the pool that rows leave by: its pages bound what all prompts under way have heard.
    """

    def __init__(
        self, requests: PromptEngine, config: OmniConfig, sampling: RequestSampling, layout: RowLayout
    ) -> None:
        self._requests = requests
        self._config = config
        self._sampling = sampling
        self._readers = RowReaders(layout)

    async def generate(
        self, request_id: str, prompts: AsyncIterator[PromptChunk]
    ) -> AsyncGenerator[ThoughtChunk, None]:
        """Answers each prompt in turn.

        Raises:
            EngineError: A prompt begins no answer, the engine failed, or the pool had no room for what was heard.
        """
        for number in count():
            prompt = await anext(prompts, None)
            if prompt is None:
                return
            async with aclosing(self._answer(f"{request_id}.{number}", prompt)) as thoughts:
                async for thought in thoughts:
                    yield thought

    @property
    def rows_held(self) -> int:
        """How many positions have room in the pool now."""
        return self._readers.pool.rows_held

    async def busy(self) -> int:
        return await self._requests.busy()

    async def died(self) -> None:
        await self._requests.died()

    async def aclose(self) -> None:
        await self._requests.aclose()
        self._readers.close()

    async def _answer(self, request_id: str, prompt: PromptChunk) -> AsyncGenerator[ThoughtChunk, None]:
        heard = self._heard(prompt)
        with self._readers.open(heard.spans, decode=False) as reader:
            asked = replace(prompt, extra_args={**prompt.extra_args, **asking(reader.request)})
            begins: HeardStates | None = None
            async with aclosing(self._requests.answer(request_id, self._sampling, asked)) as pieces:
                first = True
                async for written in pieces:
                    if first:
                        begins = HeardStates(heard, _states(reader, heard))
                        reader.release_all()
                    unread = written.chunk_ended and len(written.token_ids)
                    spoken = written.token_ids[:-1] if unread else written.token_ids
                    yield ThoughtChunk(written.token_ids, spoken, written.chunk_ended, begins if first else None)
                    first = False

    def _heard(self, prompt: PromptChunk) -> HeardPrompt:
        try:
            return heard_prompt(self._config, prompt.token_ids)
        except RequestError as error:
            raise EngineError(STAGE, error.message) from error


def _states(reader: RowReader, heard: HeardPrompt) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    none = np.empty((0, reader.pool.layout.row_bytes), np.uint8)
    try:
        return np.concatenate([none, *(reader.read(*span) for span in heard.spans)])
    except RowsMissingError as error:
        raise EngineError(STAGE, str(error)) from error
