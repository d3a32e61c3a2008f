"""The embedded pipeline's prompts: the conversation for a small language model, its clauses for the voice. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator

from pipeline.asked import Asked
from pipeline.chunks import Chat, Clause, Message, Text
from pipeline.processors.clauses import Clauses

MAX_TOKENS = 200
HISTORY_CHARACTERS = 1_600  # about 400 tokens: the slot's share beside instructions, examples and answer

SYSTEM = """\
You are AURA, a friendly voice assistant. You are heard, not read: answer in one or two short plain sentences, \
without lists, markdown or emoji. You cannot see the camera, browse the web, set reminders or control devices; \
if asked to, say so briefly. If what is said needs no answer, write only <|silent|>."""

# Examples guide a model of this size better than rules do.
EXAMPLES = (
    Message("user", "How many legs does a spider have?"),
    Message("assistant", "A spider has eight legs."),
    Message("user", "What do you see in the camera?"),
    Message("assistant", "I cannot see the camera yet, but I am happy to talk."),
    Message("user", "Remind me to call my mother at five."),
    Message("assistant", "I am sorry, I cannot set reminders."),
    Message("user", "Count to five."),
    Message("assistant", "One, two, three, four, five."),
)

# How every prompt begins, word for word: engines keep what they have read of it. What differs comes after it.
PREAMBLE = (Message("system", SYSTEM), *EXAMPLES)


async def asked2chat(inbox: AsyncIterator[Asked], asked: Asked) -> AsyncGenerator[Chat, None]:
    """Questions → prompts of the language model."""
    async for question in inbox:
        wants = question.wants
        instructions = (Message("system", wants.instructions),) if wants.instructions.strip() else ()
        limit = MAX_TOKENS if wants.max_tokens is None else min(wants.max_tokens, MAX_TOKENS)
        messages = (*PREAMBLE, *instructions, *recent(question.messages()))
        yield Chat(messages, wants.cache_salt, limit)


async def text2clauses(inbox: AsyncIterator[Text], asked: Asked) -> AsyncGenerator[Clause, None]:
    """The answer as it is written → clauses for the voice."""
    clauses, wants = Clauses(), asked.wants
    async for piece in inbox:
        for clause in clauses.feed(piece.text):
            yield Clause(clause, wants.voice, wants.speed)
    for clause in clauses.finish():
        yield Clause(clause, wants.voice, wants.speed)


def recent(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The newest messages that fit. When they no longer do, the older half goes at once, so that the prompt
    keeps growing at its end for a while and its prefix stays cached."""
    start = 0
    size = 0
    for at, message in enumerate(messages):
        size += len(message.text)
        while size > HISTORY_CHARACTERS and start < at:
            half = size // 2
            while size > half and start < at:
                size -= len(messages[start].text)
                start += 1
    kept = messages[start:]
    if kept and len(kept[-1].text) > HISTORY_CHARACTERS:
        newest = Message(kept[-1].role, kept[-1].text[-HISTORY_CHARACTERS:])
        return (*kept[:-1], newest)
    return kept
