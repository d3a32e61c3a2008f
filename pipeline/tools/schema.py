"""JSON Schemas of functions: which are served, and whether arguments fit. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

from pipeline.tools.unsatisfiable import WithoutPatterns, why_never
from pipeline.types.function_tools import FunctionTool

MOST_NODES = 2_000  # of a schema with its references in their places: more would take long to check
MOST_DEPTH = 32
LONGEST_FAULT = 300  # characters
NAMED = ("properties", "dependentSchemas")  # hold schemas by names that are the client's own
DATA = ("const", "default", "enum", "examples", "required")  # hold no schemas
LEFT_OUT = ("$defs", "definitions", "$schema", "$id", "$anchor", "$comment")


class SchemaRefused(ValueError):
    """A schema that is not served; says why."""


def check_schema(schema: Mapping[str, Any]) -> None:
    """Checks that arguments can be held against a schema.

    Raises:
        SchemaRefused: It is no JSON Schema of an object, is too large, refers to what is not in it or to itself, or no
            arguments can fit it.
    """
    if schema.get("type", "object") != "object":
        raise SchemaRefused("it must be the schema of an object")
    whole = inlined(schema)
    try:
        Draft202012Validator.check_schema(whole)
    except SchemaError as error:
        raise SchemaRefused(_brief(f"it is no JSON Schema: {error.message}")) from error
    if why := why_never({"type": "object", **whole}):
        raise SchemaRefused(_brief(f"no arguments can fit it: {why}"))


def fault(tool: FunctionTool, arguments: str) -> str:
    """What is wrong with arguments, in words for the model; empty: they fit."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return "the arguments are no JSON"
    if not isinstance(value, dict):
        return "the arguments are no JSON object"
    wrong = best_match(WithoutPatterns(inlined(json.loads(tool.parameters))).iter_errors(value))
    if wrong is None:
        return ""
    place = wrong.json_path.removeprefix("$").removeprefix(".")
    return _brief(f"{place}: {wrong.message}" if place else wrong.message)


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to in the places of the references, without its definitions.

    Raises:
        SchemaRefused: A reference leads nowhere, out of the schema or back to itself, or it becomes too large.
    """
    whole: dict[str, Any] = _Inliner(schema).inline(schema, 0)
    return whole


class _Inliner:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0
        self._open: list[str] = ["#"]  # the references in whose places we are: the root is its own

    def inline(self, node: Any, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > MOST_NODES or depth > MOST_DEPTH:
            raise SchemaRefused(f"it is nested deeper than {MOST_DEPTH} levels, or has more than {MOST_NODES:,} parts")
        if isinstance(node, list):
            return [self.inline(each, depth + 1) for each in node]
        if not isinstance(node, Mapping):
            return node
        for word in ("$dynamicRef", "$recursiveRef"):
            if word in node:
                raise SchemaRefused(f"`{word}` is not served")
        if isinstance(reference := node.get("$ref"), str):
            beside = {name: value for name, value in node.items() if name != "$ref"}
            return {**self._inside(reference, depth + 1), **self.inline(beside, depth + 1)}
        return {name: self._under(name, value, depth + 1) for name, value in node.items() if name not in LEFT_OUT}

    def _inside(self, reference: str, depth: int) -> Any:
        """What stands in the place of a reference."""
        target = self._at(reference)
        self._open.append(reference)
        whole = self.inline(target, depth)
        self._open.pop()
        return whole

    def _under(self, name: str, value: Any, depth: int) -> Any:
        if name in DATA:
            return value
        if name in NAMED and isinstance(value, Mapping):
            return {each: self.inline(inner, depth + 1) for each, inner in value.items()}
        return self.inline(value, depth)

    def _at(self, reference: str) -> Mapping[str, Any]:
        node: Any = self._root
        if reference in self._open:
            raise SchemaRefused(_brief(f"`$ref` {reference!r} refers to itself, which is not served"))
        if not reference.startswith("#/"):
            raise SchemaRefused(_brief(f"`$ref` {reference!r} does not stand in it"))
        for step in reference[2:].split("/"):
            node = node.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(node, Mapping) else None
        if not isinstance(node, Mapping):
            raise SchemaRefused(_brief(f"`$ref` {reference!r} does not stand in it"))
        return node


def _brief(text: str) -> str:
    return text if len(text) <= LONGEST_FAULT else f"{text[:LONGEST_FAULT]}…"
