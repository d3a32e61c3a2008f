"""Prompts for a language model of any size: who it is, and as much of the conversation as fits. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import get_args

from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.topology.processors.conversation import harmless, newest
from pipeline.types.capabilities import PromptLimits
from pipeline.types.chunks import ChatMessage, ChatPrompt, Role
from pipeline.types.turn_request import TurnRequest

MOST_TOKENS = 400  # of an answer: three minutes of speech
HISTORY_TOKENS = 6_000  # of all that was said
ITEM_TOKENS = 2_000  # of one message
INSTRUCTIONS_TOKENS = 2_000
LETTERS = 4  # of plain English in a token

SYSTEM = """\
You are a friendly voice assistant in a live call. What you write is spoken aloud: answer in one or two short, plain \
sentences, without lists, markup or emoji, unless the person asks for something longer. You only hear the person: you \
see nothing. If nothing needs an answer, as when the person only thanks you or speaks to somebody else, write only \
<|silent|>."""


async def asked2messages(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
    """Questions → prompts of a chat language model."""
    async for question in inbox:
        options = question.response_options
        said = newest(tuple(harmless(question)), HISTORY_TOKENS, tokens)
        system = ChatMessage("system", _instructed(options.instructions))
        yield ChatPrompt((system, *said), options.cache_salt, options.tokens(MOST_TOKENS), stem=1)


def tokens(text: str) -> int:
    """About how many tokens a text has: four plain letters make one, of other scripts each letter."""
    plain = sum(map(str.isascii, text))
    return -(-plain // LETTERS) + len(text) - plain


def _instructed(instructions: str) -> str:
    text = escape_control_tokens(instructions.strip())
    return f"{SYSTEM}\n\n{text}" if text else SYSTEM


LIMITS = PromptLimits(tokens, INSTRUCTIONS_TOKENS, dict.fromkeys(get_args(Role), ITEM_TOKENS))
