"""This module finds tools in Python: of modules that are named, and of packages that bring some along."""

import importlib
import re
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import entry_points

from livekit.agents.llm import FunctionTool, RawFunctionTool

from agent.settings.environment import SettingsError
from agent.settings.tools import ToolSettings
from agent.tools.listed_tool import ListedTool, listed
from agent.tools.schemas import schema_fault

GROUP = "aura.tools"  # of entry points: each names a module, or one function
_BUILT_IN = "`{}` is also the name of a built-in tool: rename it, or leave that one out of AURA_BUILTIN_TOOLS"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def load_tools(settings: ToolSettings) -> tuple[ListedTool, ...]:
    """The tools of all entry points, and of the modules that are named.

    Raises:
        SettingsError: One cannot be imported, has none, or two have the same name, be it that of one that is built in.
    """
    sources: list[tuple[str, Callable[[], object]]] = [
        *((f"entry point {entry.name}", entry.load) for entry in entry_points(group=GROUP)),
        *((f"AURA_TOOLS: `{name}`", partial(importlib.import_module, name)) for name in settings.modules),
    ]
    tools: dict[str, ListedTool] = {}
    origins: dict[str, str] = {}
    faults = []
    for origin, load in sources:
        try:
            found = tuple(_tools(load()))
        except (Exception, SystemExit) as error:  # a module of somebody else's may fail in any way
            faults.append(f"{origin} cannot be loaded: {type(error).__name__}: {error}")
            continue
        if not found:
            faults.append(f"{origin} has no function under @function_tool")
        for tool in found:
            if tool.name in tools:
                faults.append(f"{origin}: `{tool.name}` is also the name of a tool of {origins[tool.name]}")
            elif tool.name in settings.built_in:
                faults.append(f"{origin}: {_BUILT_IN.format(tool.name)}")
            elif not _NAME.fullmatch(tool.name):
                faults.append(f"{origin}: `{tool.name}` is no name of a tool")
            elif fault := schema_fault(tool.parameters):
                faults.append(f"{origin}: `{tool.name}`: {fault}")
            tools[tool.name], origins[tool.name] = tool, origin
    if faults:
        raise SettingsError(faults)
    return tuple(tools.values())


def _tools(source: object) -> Iterable[ListedTool]:
    if isinstance(source, FunctionTool | RawFunctionTool):
        yield listed(source)
        return
    seen = set()
    for value in vars(source).values():
        if isinstance(value, FunctionTool | RawFunctionTool) and id(value) not in seen:
            seen.add(id(value))
            yield listed(value)
