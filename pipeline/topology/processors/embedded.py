"""The embedded pipeline's prompts: the conversation for a small language model, its clauses for the voice. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator
from itertools import chain

from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.topology.processors.clauses import ClauseSplitter
from pipeline.topology.processors.conversation import harmless, newest
from pipeline.types.capabilities import PromptLimits
from pipeline.types.chunks import ChatMessage, ChatPrompt, Clause, TextChunk
from pipeline.types.turn_request import TurnRequest

MOST_TOKENS = 200  # of an answer: enough to count to forty in words
HISTORY_TOKENS = 300  # of what was said up to the last answer
QUESTION_TOKENS = 260  # of what was said since; with all else and an answer it fits into 1,408
INSTRUCTIONS_TOKENS = 200

SYSTEM = """\
You are AURA, a friendly voice assistant. You only hear the person: you have no eyes, no camera, no internet \
and no clock, and you cannot set reminders or control devices. Answer in one or two short plain sentences, without \
lists or emoji. If no answer is needed, write only <|silent|>."""

# Examples guide a model of this size better than rules do: with them, or without, it has eyes or has none.
EXAMPLES = (
    ("How many legs does a spider have?", "A spider has eight legs."),
    (
        "Please count to twenty-three.",
        "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, "
        "sixteen, seventeen, eighteen, nineteen, twenty, twenty-one, twenty-two, twenty-three.",
    ),
    ("Can you see me?", "No, I cannot see you yet, I can only hear you."),
    ("I had a long day.", "That sounds tiring. I hope that you can rest a little now."),
    ("How many fingers am I holding up?", "I cannot see your fingers, I can only hear you."),
    ("Remind me to call my mother at five.", "I am sorry, I cannot set reminders."),
    ("What do you see in the camera?", "I cannot see the camera yet, but you can tell me about it."),
    ("Okay, thank you, that is all.", "<|silent|>"),
    ("What am I holding?", "I cannot see what you are holding, I can only hear you."),
    (
        "What color is grass, and what is it made of?",
        "Grass is green. It is made of leaves that grow from the ground.",
    ),
)

# Instructions stand between the examples and the question, and outweigh them: after them it would have eyes again. Told
# so in words it then says of everything that it cannot see it; one more example is understood.
REMINDER = (
    ChatMessage("user", "What am I wearing?"),
    ChatMessage("assistant", "I cannot see what you are wearing, I can only hear you."),
)

# How every prompt begins, word for word: engines keep what they have prefilled of it. What differs comes after it.
PREAMBLE = (
    ChatMessage("system", SYSTEM),
    *chain.from_iterable((ChatMessage("user", said), ChatMessage("assistant", answer)) for said, answer in EXAMPLES),
)


async def asked2chat(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
    """Questions → prompts of the language model."""
    async for question in inbox:
        response_options = question.response_options
        limit = response_options.tokens(MOST_TOKENS)
        said = recent(tuple(harmless(question)))
        if not limit and (not said or said[-1].role != "user"):
            said += (ChatMessage("user", ""),)  # which is to come
        stem = (*PREAMBLE, *instructed(response_options.instructions))
        yield ChatPrompt((*stem, *said), response_options.cache_salt, limit, stem=len(stem))


async def text2clauses(inbox: AsyncIterator[TextChunk], request: TurnRequest) -> AsyncGenerator[Clause, None]:
    """The answer as it is written → clauses for the voice."""
    clauses, response_options = ClauseSplitter(), request.response_options
    async for piece in inbox:
        for clause in clauses.feed(piece.text):
            yield Clause(clause, response_options.voice, response_options.speed)
    for clause in clauses.finish():
        yield Clause(clause, response_options.voice, response_options.speed)


def instructed(instructions: str) -> tuple[ChatMessage, ...]:
    """The session's instructions, cut to what fits, and what they must not make the model forget."""
    text = escape_control_tokens(instructions.strip())
    while tokens(text) > INSTRUCTIONS_TOKENS:
        text = text[: len(text) * 9 // 10]
    return (ChatMessage("system", text), *REMINDER) if text else ()


def recent(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """The newest messages that fit: of those up to the last answer, and of those since, which are the question.

    So what a question needs of the past is known before it is asked, and can be prefilled.
    """
    since = next((at for at in range(len(messages), 0, -1) if messages[at - 1].role == "assistant"), 0)
    return _fitting(messages[:since], HISTORY_TOKENS) + _fitting(messages[since:], QUESTION_TOKENS)


def tokens(text: str) -> int:
    """About how many tokens a text has: four plain letters make one, anything else is one by itself."""
    plain = sum(character.isascii() and (character.isalpha() or character.isspace()) for character in text)
    return -(-plain // 4) + len(text) - plain + 5  # the message's own marks


def _taken(text: str) -> int:
    return tokens(escape_control_tokens(text))


LIMITS = PromptLimits(
    _taken, INSTRUCTIONS_TOKENS, {"system": QUESTION_TOKENS, "user": QUESTION_TOKENS, "assistant": HISTORY_TOKENS}
)


def _fitting(messages: tuple[ChatMessage, ...], limit: int) -> tuple[ChatMessage, ...]:
    return tuple(_shortened(message, limit) for message in newest(messages, limit, tokens))


def _shortened(message: ChatMessage, limit: int) -> ChatMessage:
    """A single message that does not fit keeps its end, where the question is."""
    text = message.text
    while tokens(text) > limit:
        text = text[len(text) // 10 + 1 :]
    return ChatMessage(message.role, text)
