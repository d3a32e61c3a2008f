"""Between Qwen3-ASR, AURA and the Talker: questions become prompts, answers become words to be spoken. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import get_args

from pipeline.context.window import in_bytes
from pipeline.engines.aura.prompt import INSTRUCTIONS_BYTES, LIMITS, multimodal_prompt
from pipeline.models.qwen3_tts.prompt import AUTO, LANGUAGES
from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.topology.processors.words import WordSplitter, has_sound
from pipeline.types import capabilities
from pipeline.types.chunks import Clause, MultimodalPrompt, Role, TextChunk
from pipeline.types.turn_request import TurnRequest

BYTES = 4  # of plain English in a token
TOOLS_BYTES = 16_000  # of all functions: with instructions they have the room that is kept beside the conversation


def _tokens(text: str) -> int:
    return -(-in_bytes(text) // BYTES)


ROOM = capabilities.PromptLimits(  # what is longer would be cut
    _tokens,
    INSTRUCTIONS_BYTES // BYTES,
    dict.fromkeys(get_args(Role), LIMITS.item_tokens // BYTES),
    LIMITS.pictures,
    TOOLS_BYTES // BYTES,
)


async def asr2aura(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[MultimodalPrompt, None]:
    """Questions → prompts of AURA."""
    async for question in inbox:
        yield multimodal_prompt(question)


async def aura2tts(inbox: AsyncIterator[TextChunk], request: TurnRequest) -> AsyncGenerator[Clause, None]:
    """The answer as it is written → words for the Talker, which speaks them before it knows what follows.

    The first word goes ahead as soon as it is begun, since the Talker reads no more than its first token for a frame.
    """
    words, options = WordSplitter(), request.response_options
    spoken = Clause(
        "",
        options.voice,
        options.speed,
        voice_language(request.voice_language),
        escape_control_tokens(options.voice_instructions),
    )
    is_first = True
    async for piece in inbox:
        for said in words.feed(piece.text):
            yield replace(spoken, text=said)
            is_first = is_first and not has_sound(said)
        if is_first and has_sound(words.rest):
            yield replace(spoken, text=words.rest, is_begun=True)
            is_first = False
        if piece.ends:
            for said in words.finish():
                yield replace(spoken, text=said)
            words = WordSplitter()
    for said in words.finish():
        yield replace(spoken, text=said)


def voice_language(heard: str | None) -> str:
    """The voice's language for somebody who is heard in one such as `en-US`: the same if it has it."""
    code = (heard or "").lower().replace("_", "-").split("-")[0]
    return code if code in LANGUAGES else AUTO
