"""Whether the pipeline would serve a function's parameters, for who is about to offer it one."""

from collections.abc import Mapping
from typing import Any

from pipeline.tools.schema import SchemaRefused, check_schema


def schema_refusal(parameters: Mapping[str, Any]) -> str:
    """Why `session.tools` would be refused for these parameters; empty: it would not."""
    try:
        check_schema(parameters)
    except SchemaRefused as refused:
        return str(refused)
    return ""
