"""A conversation as messages of a chat prompt. Pure."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.types.chunks import ChatMessage
from pipeline.types.function_tools import FunctionCall
from pipeline.types.paired_calls import paired

if TYPE_CHECKING:
    from pipeline.types.history import Item


def chat_messages(items: "Iterable[Item]") -> tuple[ChatMessage, ...]:
    """What was said, called and put out; what has no words is left out. Calls belong to the words before them."""
    messages: list[ChatMessage] = []
    for item in paired(items):
        match item.kind:
            case "function_call":
                last = messages.pop() if messages and messages[-1].role == "assistant" else ChatMessage("assistant", "")
                call = FunctionCall(item.call_id, item.name, item.text)
                messages.append(replace(last, calls=(*last.calls, call)))
            case "function_call_output":
                messages.append(ChatMessage("user", item.text, call_id=item.call_id))
            case _ if item.text.strip():
                messages.append(ChatMessage(item.role, item.text))
    return tuple(messages)
