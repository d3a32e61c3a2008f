"""Between the session, the thinker of Qwen3-Omni and its talker: questions become prompts, thoughts speech. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import get_args

from pipeline.context.window import in_bytes
from pipeline.engines.qwen3_omni.prompt import INSTRUCTIONS_BYTES, LIMITS, OmniPrompt, omni_prompt
from pipeline.engines.qwen3_omni.thought import ThoughtChunk
from pipeline.types import capabilities
from pipeline.types.chunks import Role, TextChunk
from pipeline.types.turn_request import TurnRequest

BYTES = 4  # of plain English in a token


def _tokens(text: str) -> int:
    return -(-in_bytes(text) // BYTES)


ROOM = capabilities.PromptLimits(  # what is longer would be cut
    _tokens, INSTRUCTIONS_BYTES // BYTES, dict.fromkeys(get_args(Role), LIMITS.item_tokens // BYTES), LIMITS.pictures
)


async def asked2thinker(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[OmniPrompt, None]:
    """Questions, with their sound and pictures → prompts of the thinker."""
    async for question in inbox:
        yield omni_prompt(question)


async def thinker2talker(
    inbox: AsyncIterator[TextChunk | ThoughtChunk], request: TurnRequest
) -> AsyncGenerator[ThoughtChunk, None]:
    """The answer as it is written, with what was heard before it → what the talker speaks, in the caller's voice."""
    async for piece in inbox:
        if isinstance(piece, ThoughtChunk):
            yield replace(piece, voice=request.response_options.voice)
