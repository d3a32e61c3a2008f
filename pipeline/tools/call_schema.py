"""The schema of a whole call, for engines that can be held to one as they write. Pure."""

import json
from typing import Any

from pipeline.tools.schema import NAMED, inlined
from pipeline.types.function_tools import FunctionTool, ToolOptions

LEFT_OUT = ("format", "pattern", "patternProperties", "title", "description", "default", "examples")  # not written by


def call_schema(options: ToolOptions, *, plain: bool = False) -> dict[str, Any]:
    """JSON Schema of `{"name": …, "arguments": …}` for the functions that may be called.

    Args:
        plain: Say nothing of arguments but that they are an object, where an engine cannot be held to more.
    """
    calls = [_call(tool, plain=plain) for tool in options.callable_tools]
    return calls[0] if len(calls) == 1 else {"anyOf": calls}


def arguments_schema(tool: FunctionTool) -> dict[str, Any]:
    """JSON Schema of a function's arguments, without references and what no grammar is made of."""
    schema: dict[str, Any] = _without(inlined(json.loads(tool.parameters)))
    return {"type": "object", **schema}


def _call(tool: FunctionTool, *, plain: bool) -> dict[str, Any]:
    arguments = {"type": "object"} if plain else arguments_schema(tool)
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _without(node: Any) -> Any:
    if isinstance(node, list):
        return [_without(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = {name: value for name, value in node.items() if name not in LEFT_OUT}
    return {
        name: {each: _without(inner) for each, inner in value.items()}
        if name in NAMED and isinstance(value, dict)
        else _without(value)
        for name, value in kept.items()
    }
