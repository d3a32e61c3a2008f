"""What the prompt of a chat model takes of a conversation: the newest that fits, without power over it. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.types.chunks import ChatMessage
from pipeline.types.turn_request import TurnRequest


def harmless(request: TurnRequest) -> Iterator[ChatMessage]:
    """All that was said, written and called, with control tokens broken up."""
    return (replace(each, text=escape_control_tokens(each.text)) for each in request.messages())


def with_line(messages: tuple[ChatMessage, ...], line: str) -> tuple[ChatMessage, ...]:
    """The messages with a line on the time and what is seen right before the newest question, and so nowhere in the
    next prompt.

    What was called for that question stands behind it.
    """
    at = _before_calls(messages)
    if not line or not at or messages[at - 1].role != "user":
        return messages
    *before, question = messages[:at]
    return (*before, ChatMessage("user", f"({line})\n{question.text}"), *messages[at:])


def with_outputs_told(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """The messages with what functions have put out for the newest question in its own words, in place of their calls.

    A small model that sees its own call writes it again; one that is told what came of it answers. Without outputs
    behind the newest question the messages stay as they are.
    """
    at = _before_calls(messages)
    names = {call.call_id: call.name for message in messages[at:] for call in message.calls}
    told = [f"({names.get(each.call_id, 'function')}: {each.text})" for each in messages[at:] if each.call_id]
    if not told or not at or messages[at - 1].role != "user":
        return messages
    return (*messages[: at - 1], ChatMessage("user", "\n".join((*told, messages[at - 1].text))))


def _before_calls(messages: tuple[ChatMessage, ...]) -> int:
    """How many messages stand in front of the newest calls and outputs: the last of them is what was said newest."""
    return next(
        (at for at in range(len(messages), 0, -1) if not (messages[at - 1].call_id or messages[at - 1].calls)), 0
    )


def size_of(message: ChatMessage, tokens: Callable[[str], int]) -> int:
    """About how many tokens a message has, its calls included."""
    return tokens(message.text) + sum(tokens(call.name) + tokens(call.arguments) for call in message.calls)


def with_whole_calls(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """The messages without outputs whose calls were cut off."""
    calls = {call.call_id for message in messages for call in message.calls}
    return tuple(message for message in messages if not message.call_id or message.call_id in calls)


def newest(messages: tuple[ChatMessage, ...], limit: int, tokens: Callable[[str], int]) -> tuple[ChatMessage, ...]:
    """The newest messages that fit. When they no longer do, the older half goes at once, so that the prompt keeps
    growing at its end for a while and its prefix stays cached.

    Args:
        limit: Tokens of them all; the last one may have more.
        tokens: About how many a text has.
    """
    start, size = 0, 0
    for at, message in enumerate(messages):
        size += size_of(message, tokens)
        if size > limit:
            while size > limit // 2 and start < at:
                size -= size_of(messages[start], tokens)
                start += 1
    return messages[start:]
