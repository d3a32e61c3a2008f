"""Function tools and the choice among them, between the wire's form and the pipeline's."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from pipeline.errors import RequestError
from pipeline.realtime.protocol.client_events import FunctionChoice, ResponseSettings, SessionSettings, WireTool
from pipeline.realtime.protocol.limits import check_tools
from pipeline.tools.offered_tool import ToolRefused, function_tool
from pipeline.tools.prompt_format import tool_text
from pipeline.types.capabilities import Capabilities
from pipeline.types.function_tools import FunctionTool, ToolOptions

MOST_TOOLS = 64
MOST_BYTES = 32_768  # of all tools together, as JSON


def read_tools(
    options: ToolOptions, settings: SessionSettings | ResponseSettings, there: Capabilities, param: str
) -> ToolOptions:
    """What holds once a client has sent `settings`, on top of `options`.

    Raises:
        RequestError: Names the field that cannot be served.
    """
    if settings.tools is not None:
        tools = _tools(settings.tools, there, f"{param}.tools")
        options = replace(options, tools=tools)
        if options.named and not any(tool.name == options.named for tool in tools):
            options = replace(options, mode="auto", named="")
    if settings.parallel_tool_calls is not None:
        options = replace(options, parallel=settings.parallel_tool_calls)
    match settings.tool_choice:
        case None:
            return options
        case "required" | FunctionChoice() if not options.tools:
            where = f"{param}.tool_choice"
            message = f"{where}: there are no tools to choose from; there is: auto, none"
            raise RequestError("invalid_value", message, where)
        case FunctionChoice(name=name):
            if not any(tool.name == name for tool in options.tools):
                where, known = f"{param}.tool_choice.name", ", ".join(tool.name for tool in options.tools)
                raise RequestError(
                    "invalid_value", f"{where}: there is no tool {name[:64]!r}; there is: {known}", where
                )
            return replace(options, mode="required", named=name)
        case mode:
            return replace(options, mode=mode, named="")


def show_tools(options: ToolOptions) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": json.loads(tool.parameters),
        }
        for tool in options.tools
    ]


def show_choice(options: ToolOptions) -> str | dict[str, str]:
    return {"type": "function", "name": options.named} if options.named else options.mode


def _tools(wanted: Sequence[WireTool], there: Capabilities, param: str) -> tuple[FunctionTool, ...]:
    if wanted and not there.calls_functions:
        raise RequestError("invalid_value", f"{param}: the model that answers here calls no functions", param)
    if len(wanted) > MOST_TOOLS:
        raise RequestError("invalid_value", f"{param}: {len(wanted)} tools, and at most {MOST_TOOLS} are served", param)
    if (size := len(msgspec.json.encode(wanted))) > MOST_BYTES:
        raise RequestError("invalid_value", f"{param}: {size:,} bytes, and {MOST_BYTES:,} are served", param)
    tools: list[FunctionTool] = []
    for at, each in enumerate(wanted):
        tool = _tool(each, f"{param}[{at}]")
        if any(other.name == tool.name for other in tools):
            where = f"{param}[{at}].name"
            raise RequestError("invalid_value", f"{where}: {tool.name!r} is there twice", where)
        tools.append(tool)
    check_tools("\n".join(map(tool_text, tools)), there.limits, param)
    return tuple(tools)


def _tool(tool: WireTool, param: str) -> FunctionTool:
    try:
        return function_tool(tool.name, tool.description, tool.parameters)
    except ToolRefused as refused:
        where = f"{param}.{refused.field}"
        raise RequestError("invalid_value", f"{where}: {refused}", where) from refused
