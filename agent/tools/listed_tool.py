"""This module makes one kind of tool of all kinds: a name, a schema, and what runs it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from inspect import isawaitable, iscoroutinefunction, unwrap
from typing import Any

from livekit.agents import RunContext, function_tool
from livekit.agents.llm import FunctionTool, RawFunctionTool
from livekit.agents.llm.utils import build_legacy_openai_schema, prepare_function_arguments

from agent.tools.asking import NOTE, does_ask

Arguments = dict[str, Any]
Run = Callable[[Arguments, RunContext[None]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as the agent has it.

    Attributes:
        parameters: A JSON schema.
        run: Calls it; raises what it raises.
        asks_first: The person must have agreed before it is run.
        server: The MCP server that it is of; empty: it is the agent's own.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Run
    asks_first: bool = False
    server: str = ""

    @property
    def origin(self) -> str:
        """Whose it is, in words."""
        return f"MCP server {self.server}" if self.server else "the agent itself"

    def told(self) -> "ListedTool":
        """The same; one that asks first says so to the model."""
        if not self.asks_first:
            return self
        return replace(self, description=f"{self.description} {NOTE}".strip())


def listed(tool: FunctionTool[..., Any] | RawFunctionTool[..., Any]) -> ListedTool:
    """A function under LiveKit's `@function_tool`; one that is no coroutine runs in a thread.

    Raises:
        TypeError: A parameter has no type.
    """

    async def run(arguments: Arguments, context: RunContext[None]) -> Any:
        args, kwargs = prepare_function_arguments(fnc=tool, json_arguments=arguments, call_ctx=context)
        if iscoroutinefunction(unwrap(tool)):
            return await tool(*args, **kwargs)
        result = await asyncio.to_thread(tool, *args, **kwargs)  # it may wait without awaiting
        return await result if isawaitable(result) else result

    if isinstance(tool, RawFunctionTool):
        schema = tool.info.raw_schema
    else:
        try:
            schema = build_legacy_openai_schema(tool, internally_tagged=True)
        except KeyError as error:  # LiveKit looks the type up by the parameter's name
            raise TypeError(f"`{tool.info.name}`: its parameter `{error.args[0]}` has no type") from error
    parameters = schema.get("parameters") or {"type": "object", "properties": {}}
    return ListedTool(tool.info.name, (schema.get("description") or "").strip(), parameters, run, does_ask(tool))


def for_livekit(tool: ListedTool, run: Run) -> RawFunctionTool[..., Any]:
    """The tool as LiveKit runs it: by `run`, under its name and schema."""

    async def call(raw_arguments: dict[str, object], context: RunContext[None]) -> Any:
        return await run(raw_arguments, context)

    told = tool.told()
    schema = {"name": tool.name, "description": told.description, "parameters": dict(tool.parameters)}
    return function_tool(call, raw_schema=schema)
