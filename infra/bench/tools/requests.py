"""The requests of the bench, and whether a call does what was asked."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.types.function_tools import FunctionCall, FunctionTool

FILE = Path(__file__).with_name("requests.toml")


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """What somebody asks for.

    Attributes:
        tool: Name of the one function that does it.
        arguments: Regular expressions that its arguments match as a whole, in any letter case.
    """

    ask: str
    tool: str
    arguments: Mapping[str, str]

    def is_right(self, calls: list[FunctionCall]) -> bool:
        """The function is called, once, with these arguments and no others that mean something."""
        if [call.name for call in calls] != [self.tool]:
            return False
        given = {name: value for name, value in json.loads(calls[0].arguments).items() if value not in (None, "")}
        return given.keys() == self.arguments.keys() and all(
            re.fullmatch(pattern, str(given[name]).strip(), re.IGNORECASE) for name, pattern in self.arguments.items()
        )


@dataclass(frozen=True, slots=True)
class ToolRequests:
    """All of the bench: the functions that are offered with each request."""

    tools: tuple[FunctionTool, ...]
    requests: tuple[ToolRequest, ...]


def read_requests(file: Path = FILE) -> ToolRequests:
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    tools = tuple(
        FunctionTool(tool["name"], tool["description"], json.dumps(_schema(tool))) for tool in written["tool"]
    )
    requests = tuple(ToolRequest(each["ask"], each["tool"], each.get("arguments", {})) for each in written["request"])
    return ToolRequests(tools, requests)


def _schema(tool: Mapping[str, dict[str, str]]) -> dict[str, object]:
    """The arguments' names with their types; all are needed but those with a question mark."""
    types = tool.get("arguments", {})
    return {
        "type": "object",
        "properties": {name.rstrip("?"): {"type": kind} for name, kind in types.items()},
        "required": [name for name in types if not name.endswith("?")],
    }
