"""Prompts for a language model of any size: who it is, and as much of the conversation as fits. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from typing import get_args

from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.topology.processors.clock import clock_line
from pipeline.topology.processors.conversation import harmless, newest, with_line, with_whole_calls
from pipeline.topology.processors.seeing import MOST_PICTURES, seen_line
from pipeline.types.capabilities import PromptLimits
from pipeline.types.chunks import ChatMessage, ChatPrompt, Role
from pipeline.types.observation import Observation
from pipeline.types.turn_request import TurnRequest

MOST_TOKENS = 400  # of an answer: three minutes of speech
HISTORY_TOKENS = 6_000  # of all that was said
ITEM_TOKENS = 2_000  # of one message
INSTRUCTIONS_TOKENS = 2_000
LETTERS = 4  # of plain English in a token

SYSTEM = """\
You are a friendly voice assistant in a live call. What you write is spoken aloud: answer in one or two short, plain \
sentences, without lists, markup or emoji, unless the person asks for something longer. You hear the person. What was \
recognised in their camera, their shared screen or a picture that they sent stands in parentheses before what they \
say, and is all that you see of it: you cannot tell who somebody is, their age, face or feelings, what they do, or any \
color. Without it you see nothing. When asked about what you cannot see, say so. If nothing needs an answer, as when \
the person only thanks you or speaks to somebody else, write only <|silent|>."""


async def asked2messages(inbox: AsyncIterator[Observation], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
    """What was recognised in the pictures of a question → the question as a prompt of a chat language model."""
    seen = [observation async for observation in inbox]
    options = request.response_options
    said = with_whole_calls(newest(tuple(map(_shortened, harmless(request))), HISTORY_TOKENS, tokens))
    said = with_line(said, f"{clock_line(request)} {seen_line(request.history, seen)}".strip())
    system = ChatMessage("system", _instructed(options.instructions))
    yield ChatPrompt((system, *said), options.cache_salt, options.tokens(MOST_TOKENS), stem=1, tools=options.tools)


def tokens(text: str) -> int:
    """About how many tokens a text has: four plain letters make one, of other scripts each letter."""
    plain = sum(map(str.isascii, text))
    return -(-plain // LETTERS) + len(text) - plain


def _shortened(message: ChatMessage) -> ChatMessage:
    """Of what a function has put out, the beginning."""
    text = message.text
    while message.call_id and tokens(text) > ITEM_TOKENS:
        text = text[: len(text) * 9 // 10]
    return replace(message, text=text)


def _instructed(instructions: str) -> str:
    text = escape_control_tokens(instructions.strip())
    return f"{SYSTEM}\n\n{text}" if text else SYSTEM


LIMITS = PromptLimits(tokens, INSTRUCTIONS_TOKENS, dict.fromkeys(get_args(Role), ITEM_TOKENS), MOST_PICTURES)
