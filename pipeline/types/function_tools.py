"""Functions that a client offers to the model, and calls of them."""

from dataclasses import dataclass
from typing import Literal

ToolMode = Literal["auto", "none", "required"]


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """Is a function that the client can run.

    Attributes:
        parameters: JSON Schema of its arguments, as JSON text.
    """

    name: str
    description: str = ""
    parameters: str = '{"type": "object", "properties": {}}'


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call that fits its function. Whoever is shown it runs it.

    Attributes:
        arguments: A JSON object, as text.
    """

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as a model has written it: its function may be unknown, and its arguments may be no JSON.

    Attributes:
        arguments: JSON text of an object, unless `raw` is no call at all.
        raw: All that the model wrote of it.
    """

    name: str
    arguments: str
    raw: str


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """Which functions an answer may call.

    Attributes:
        tools: All that the model is told of.
        mode: `required`: the answer is at least one call.
        named: The one function that is to be called; empty: the model chooses.
        parallel: One answer may hold several calls.
    """

    tools: tuple[FunctionTool, ...] = ()
    mode: ToolMode = "auto"
    named: str = ""
    parallel: bool = True

    @property
    def callable_tools(self) -> tuple[FunctionTool, ...]:
        """Those of them that this answer may call."""
        if self.mode == "none":
            return ()
        return tuple(tool for tool in self.tools if self.named in ("", tool.name))

    @property
    def is_required(self) -> bool:
        return self.mode == "required" and bool(self.tools)

    def find(self, name: str) -> FunctionTool | None:
        """The function of that name, if this answer may call it."""
        return next((tool for tool in self.callable_tools if tool.name == name), None)
