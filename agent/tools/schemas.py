"""This module says what is wrong with the schema of a tool that somebody else wrote. Pure."""

from collections.abc import Mapping
from typing import Any

import msgspec
from jsonschema import SchemaError
from jsonschema.validators import validator_for

MOST_BYTES = 8_000
MOST_NODES, MOST_DEPTH = 2_000, 32  # with references in their places: a pipeline takes no larger one
DATA = ("const", "default", "enum", "examples", "required")  # hold no schemas


def schema_fault(schema: object) -> str:
    """Why a model cannot be given these parameters; empty: it can."""
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return "its parameters are no object"
    if len(msgspec.json.encode(schema, enc_hook=str)) > MOST_BYTES:
        return f"its schema has more than {MOST_BYTES:,} bytes"
    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        return f"its schema is none: {error.message[:120]}"
    return _References(schema).fault()


class _References:
    """Follows what a schema refers to. One that a pipeline refuses would cost a call all its tools."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root, self._nodes = root, 0

    def fault(self) -> str:
        try:
            self._follow(self._root, 0)
        except LookupError as error:
            return f"its schema is not served: {error.args[0]}"
        return ""

    def _follow(self, node: object, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES or depth > MOST_DEPTH:
            raise LookupError("it is too large, is nested too deeply, or refers to itself")
        if isinstance(node, list):
            for each in node:
                self._follow(each, depth + 1)
        if not isinstance(node, Mapping):
            return
        for name, value in node.items():
            if name == "$ref" and isinstance(value, str):
                self._follow(self._at(value), depth + 1)
            elif name in ("$dynamicRef", "$recursiveRef"):
                raise LookupError(f"`{name}`")
            elif name not in (*DATA, "$defs", "definitions"):
                self._follow(value, depth + 1)

    def _at(self, reference: str) -> object:
        node: object = self._root
        for step in reference.removeprefix("#/").split("/"):
            node = node.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(node, Mapping) else None
        if not reference.startswith("#/") or not isinstance(node, Mapping):
            raise LookupError(f"`$ref` {reference[:60]!r} does not stand in it")
        return node
