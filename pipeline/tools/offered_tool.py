"""Makes a function tool of what somebody offers: a client on the wire, or a deployment file."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pipeline.tools.schema import SchemaRefused, check_schema
from pipeline.types.function_tools import FunctionTool

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}


class ToolRefused(ValueError):
    """A function that is not served; says why.

    Attributes:
        field: Of the function, what is wrong: `name` or `parameters`.
    """

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


def function_tool(name: str, description: str | None, parameters: Mapping[str, Any] | None) -> FunctionTool:
    """The function as the pipeline has it.

    Args:
        parameters: JSON Schema of its arguments; None: it takes none.

    Raises:
        ToolRefused: It has a name that no model could call, or its schema is not served.
    """
    if not NAME.fullmatch(name):
        raise ToolRefused("name", "it is not 1 to 64 letters, digits, `_` and `-`")
    schema = NO_PARAMETERS if parameters is None else parameters
    try:
        check_schema(schema)
    except SchemaRefused as refused:
        raise ToolRefused("parameters", str(refused)) from refused
    return FunctionTool(name, description or "", json.dumps(schema, ensure_ascii=False))
