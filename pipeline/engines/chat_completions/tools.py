"""Function tools in OpenAI's chat completions: how they are offered, and calls as a stream brings them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipeline.types.chunks import ChatMessage
from pipeline.types.function_tools import ToolOptions, WrittenCall

if TYPE_CHECKING:
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall


def tool_settings(options: ToolOptions) -> dict[str, Any]:
    """What a request says of tools; nothing where there are none. Not every server knows every field: what is as it is
    anyhow is left out."""
    if not options.tools:
        return {}
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": json.loads(tool.parameters),
            },
        }
        for tool in options.tools
    ]
    choice: Any = {"type": "function", "function": {"name": options.named}} if options.named else options.mode
    settings: dict[str, Any] = {"tools": tools, "tool_choice": choice}
    return settings if options.parallel else settings | {"parallel_tool_calls": False}


def as_wire(message: ChatMessage) -> dict[str, Any]:
    """A message as the API has it."""
    if message.call_id:
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    shown: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        shown["content"] = message.text or None
        shown["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    return shown


@dataclass(slots=True)
class CallDeltas:
    """Puts the calls of one answer together, of which a stream brings pieces by their places."""

    _names: dict[int, str] = field(default_factory=dict)
    _arguments: dict[int, str] = field(default_factory=dict)

    def feed(self, delta: "ChoiceDeltaToolCall") -> None:
        function = delta.function
        if function is None:
            return
        self._names[delta.index] = self._names.get(delta.index, "") or function.name or ""
        self._arguments[delta.index] = self._arguments.get(delta.index, "") + (function.arguments or "")

    def written(self) -> Iterator[WrittenCall]:
        """The calls in order, once the stream has ended."""
        for at, name in sorted(self._names.items()):
            arguments = self._arguments[at] or "{}"
            yield WrittenCall(name, arguments, arguments)
