"""What the prompt of a chat model takes of a conversation: the newest that fits, without power over it. Pure."""

from collections.abc import Callable, Iterator

from pipeline.models.shared.control_tokens import escape_control_tokens
from pipeline.types.chunks import ChatMessage
from pipeline.types.turn_request import TurnRequest


def harmless(request: TurnRequest) -> Iterator[ChatMessage]:
    """All that was said and written, with control tokens broken up."""
    return (ChatMessage(each.role, escape_control_tokens(each.text)) for each in request.messages())


def newest(messages: tuple[ChatMessage, ...], limit: int, tokens: Callable[[str], int]) -> tuple[ChatMessage, ...]:
    """The newest messages that fit. When they no longer do, the older half goes at once, so that the prompt keeps
    growing at its end for a while and its prefix stays cached.

    Args:
        limit: Tokens of them all; the last one may have more.
        tokens: About how many a text has.
    """
    start, size = 0, 0
    for at, message in enumerate(messages):
        size += tokens(message.text)
        if size > limit:
            while size > limit // 2 and start < at:
                size -= tokens(messages[start].text)
                start += 1
    return messages[start:]
