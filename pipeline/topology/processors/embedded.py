"""The embedded pipeline's prompts: the conversation for a small language model, its clauses for the voice. Pure."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace

from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.topology.processors.clauses import ClauseSplitter
from pipeline.topology.processors.clock import clock_line
from pipeline.topology.processors.conversation import harmless, newest, with_line, with_outputs_told, with_whole_calls
from pipeline.topology.processors.plain_sight import plain_answer
from pipeline.topology.processors.preamble import PREAMBLE, REMINDER, SIGHT, TOOLS_PREAMBLE
from pipeline.topology.processors.seeing import MOST_PICTURES, has_seen, seen_line
from pipeline.types.capabilities import PromptLimits
from pipeline.types.chunks import ChatMessage, ChatPrompt, Clause, TextChunk
from pipeline.types.function_tools import ToolOptions
from pipeline.types.observation import Observation
from pipeline.types.turn_request import TurnRequest

MOST_TOKENS = 200  # of an answer: enough to count to forty in words
HISTORY_TOKENS = 300  # of what was said up to the last answer
QUESTION_TOKENS = 260  # of what was said since; with all else and an answer it fits into 2,112
SEEN_TOKENS = 110  # of the time and what is seen
INSTRUCTIONS_TOKENS = 200
TOOLS_TOKENS = 700  # of all functions, in the place of the examples; a wrong call and its fault have room, too


async def asked2chat(inbox: AsyncIterator[Observation], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
    """What was recognised in the pictures of a question → the question as a prompt of the language model."""
    seen = [observation async for observation in inbox]
    response_options = request.response_options
    limit = response_options.tokens(MOST_TOKENS)
    said = recent(tuple(harmless(request)))
    if not limit and (not said or said[-1].role != "user"):
        said += (ChatMessage("user", ""),)  # which is to come
    said = with_line(said, _fitting_line(f"{clock_line(request)} {seen_line(request.history, seen)}".strip()))
    offered = response_options.tools
    if offered.mode != "required" and (told := with_outputs_told(said)) != said:
        said, offered = told, ToolOptions()
    stem = (
        tools_stem(response_options.instructions)
        if offered.tools
        else prompt_stem(response_options.instructions, sees=has_seen(request.history))
    )
    plain = plain_answer(request.history, seen) if limit else ""
    salt = response_options.cache_salt
    yield ChatPrompt((*stem, *said), salt, limit, stem=len(stem), plain_answer=plain, tools=offered)


async def text2clauses(inbox: AsyncIterator[TextChunk], request: TurnRequest) -> AsyncGenerator[Clause, None]:
    """The answer as it is written → clauses for the voice."""
    clauses, response_options = ClauseSplitter(), request.response_options
    async for piece in inbox:
        for clause in clauses.feed(piece.text):
            yield Clause(clause, response_options.voice, response_options.speed)
        if piece.ends:
            for clause in clauses.finish():
                yield Clause(clause, response_options.voice, response_options.speed)
            clauses = ClauseSplitter()
    for clause in clauses.finish():
        yield Clause(clause, response_options.voice, response_options.speed)


def prompt_stem(instructions: str, *, sees: bool) -> tuple[ChatMessage, ...]:
    """How the prompts of a session begin: the preamble, its instructions, and what they must not make the model forget.

    Args:
        sees: Something was shown in it.
    """
    told = _told(instructions)
    return (*PREAMBLE, *told, *(SIGHT if sees else REMINDER if told else ()))


def tools_stem(instructions: str) -> tuple[ChatMessage, ...]:
    """How the prompts of a session begin that offers functions: without examples, which would teach not to call any."""
    return (TOOLS_PREAMBLE, *_told(instructions))


def _told(instructions: str) -> tuple[ChatMessage, ...]:
    text = escape_control_tokens(instructions.strip())
    while tokens(text) > INSTRUCTIONS_TOKENS:
        text = text[: len(text) * 9 // 10]
    return (ChatMessage("system", text),) if text else ()


def _fitting_line(line: str) -> str:
    """The beginning of a line that fits: what is written in a picture may be of any script."""
    while tokens(line) > SEEN_TOKENS:
        line = line[: len(line) * 9 // 10]
    return line


def recent(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """The newest messages that fit: of those up to the last answer, and of those since, which are the question.

    So what a question needs of the past is known before it is asked, and can be prefilled.
    """
    since = next((at for at in range(len(messages), 0, -1) if messages[at - 1].role == "assistant"), 0)
    before, question = _fitting(messages[:since], HISTORY_TOKENS), _fitting(messages[since:], QUESTION_TOKENS)
    return with_whole_calls(before + question)


def tokens(text: str) -> int:
    """About how many tokens a text has: four plain letters make one, anything else is one by itself."""
    plain = sum(character.isascii() and (character.isalpha() or character.isspace()) for character in text)
    return -(-plain // 4) + len(text) - plain + 5  # the message's own marks


def tool_tokens(text: str) -> int:
    """About how many tokens JSON has: two of its marks make one as a rule."""
    plain = sum(character.isascii() and (character.isalpha() or character.isspace()) for character in text)
    marks = sum(map(str.isascii, text)) - plain
    return -(-plain // 4) - (-marks // 2) + len(text) - plain - marks


def _taken(text: str) -> int:
    return tokens(escape_control_tokens(text))


LIMITS = PromptLimits(
    _taken,
    INSTRUCTIONS_TOKENS,
    {"system": QUESTION_TOKENS, "user": QUESTION_TOKENS, "assistant": HISTORY_TOKENS},
    MOST_PICTURES,
    TOOLS_TOKENS,
    tool_tokens,
)


def _fitting(messages: tuple[ChatMessage, ...], limit: int) -> tuple[ChatMessage, ...]:
    return tuple(_shortened(message, limit) for message in newest(messages, limit, tokens))


def _shortened(message: ChatMessage, limit: int) -> ChatMessage:
    """A single message that does not fit keeps its end, where the question is; of an output the beginning is kept."""
    text = message.text
    while tokens(text) > limit:
        cut = len(text) // 10 + 1
        text = text[:-cut] if message.call_id else text[cut:]
    return replace(message, text=text)
