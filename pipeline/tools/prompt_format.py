"""Tools, calls and outputs in a prompt, as Qwen's models were trained to read and write them. Pure.

The marks and the words around the list of tools are those of the chat template of Qwen2.5 and Qwen3.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace

from pipeline.types.chunks import ChatMessage
from pipeline.types.function_tools import FunctionCall, FunctionTool

CALL, CALL_END = "<tool_call>", "</tool_call>"
OUTPUT, OUTPUT_END = "<tool_response>", "</tool_response>"
FIRST, LAST = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n",
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    f"{CALL}{CALL_END} XML tags:\n"
    f'{CALL}\n{{"name": <function-name>, "arguments": <args-json-object>}}\n{CALL_END}',
)
MARKS = (CALL, CALL_END, OUTPUT, OUTPUT_END)

Escape = Callable[[str], str]


def tools_text(tools: Iterable[FunctionTool], escape: Escape) -> str:
    """What a system message ends with where there are tools.

    Args:
        escape: As in `as_text`.
    """
    return FIRST + "\n".join(escape(without_marks(tool_text(tool))) for tool in tools) + LAST


def tool_text(tool: FunctionTool) -> str:
    """One tool as a line of JSON."""
    function = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}
    return json.dumps({"type": "function", "function": function}, ensure_ascii=False)


def call_text(call: FunctionCall) -> str:
    return f'{CALL}\n{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}\n{CALL_END}'


def output_text(output: str) -> str:
    return f"{OUTPUT}\n{output}\n{OUTPUT_END}"


def without_marks(text: str) -> str:
    """What somebody has said or a tool has put out, with a space in each of the marks above."""
    for mark in MARKS:
        text = text.replace(mark, f"{mark[0]} {mark[1:]}")
    return text


def as_text(
    messages: tuple[ChatMessage, ...],
    tools: tuple[FunctionTool, ...],
    escape: Escape,
    ours: frozenset[ChatMessage] = frozenset(),
) -> tuple[ChatMessage, ...]:
    """Messages whose calls and outputs are text: the tools stand in the first one, which is the system's.

    Outputs that follow each other become one message.

    Args:
        escape: Takes the power over the prompt from all that others have written.
        ours: Messages that others have not.
    """
    written: list[ChatMessage] = []
    follows_output = False
    for each in messages:
        text = each.text if each in ours else escape(without_marks(each.text))
        if each.call_id:
            text = output_text(text)
        elif each.calls:
            calls = (call_text(replace(call, arguments=escape(without_marks(call.arguments)))) for call in each.calls)
            text = "\n".join(filter(None, (text, *calls)))
        if each.call_id and follows_output:
            written[-1] = replace(written[-1], text=f"{written[-1].text}\n{text}")
        else:
            written.append(ChatMessage(each.role, text))
        follows_output = bool(each.call_id)
    if tools and written:
        told = tools_text(tools, escape)
        written[0] = replace(written[0], text=f"{written[0].text}\n\n{told}")
    return tuple(written)
