"""Which schemas no value fits: each is named with its place, and none that a value fits is."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pipeline.tools.unsatisfiable import why_never


def needs(schema: object) -> dict[str, Any]:
    """An object whose property `a` fits that."""
    return {"type": "object", "properties": {"a": schema}, "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (False, "a: its schema is `false`"),
        ({"enum": []}, "a: `enum` is empty"),
        ({"enum": ["x", True], "type": "integer"}, "a: no value of `enum` fits the rest"),
        ({"const": 3, "minimum": 4}, "a: no value of `const` fits the rest"),
        ({"not": {}}, "a: `not` excludes everything"),
        ({"type": "integer", "minimum": 3, "maximum": 2}, "a: its least number is more than its greatest"),
        ({"type": "number", "exclusiveMinimum": 2, "maximum": 2}, "a: its least number is more than its greatest"),
        (
            {"type": "integer", "minimum": 0.2, "maximum": 0.8},
            "a: no whole number lies between its least and its greatest",
        ),
        (
            {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
            "a: no whole number lies between its least and its greatest",
        ),
        ({"type": "string", "minLength": 3, "maxLength": 2}, "a: `minLength` is more than `maxLength`"),
        ({"type": "array", "minItems": 2, "maxItems": 1}, "a: `minItems` is more than `maxItems`"),
        ({"type": "array", "minItems": 1, "items": False}, "a[]: its schema is `false`"),
        ({"type": "array", "minItems": 2.0, "prefixItems": [{}, {"enum": []}]}, "a[1]: `enum` is empty"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "a: its types exclude each other"),
        ({"type": "string", "anyOf": [{"type": "null"}, {"type": "array"}]}, "a: its types exclude each other"),
        ({"anyOf": [{"enum": []}, False]}, "a: nothing fits any of `anyOf`"),
        (
            {"type": "object", "required": ["b"], "additionalProperties": False},
            "a.b: it is required, and `additionalProperties` forbids it",
        ),
        (
            {"type": "object", "required": ["b", "c"], "maxProperties": 1},
            "a: more properties are required than `maxProperties`",
        ),
        (needs(needs({"enum": []})), "a.a.a: `enum` is empty"),
    ],
    ids=str,
)
def test_a_schema_that_no_value_fits_is_named_with_its_place(schema: object, why: str) -> None:
    Draft202012Validator.check_schema(needs(schema))
    assert why_never(needs(schema)) == why


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, 1),
        ({"enum": ["x", 2], "type": "integer"}, 2),
        ({"type": ["integer", "null"], "minimum": 3, "maximum": 2}, None),
        ({"minimum": 3, "maximum": 2}, "no number"),
        ({"type": "number", "minimum": 0.2, "maximum": 0.8}, 0.5),
        ({"type": "number", "minimum": 2, "maximum": 2}, 2),
        ({"type": "integer", "minimum": 0.5, "maximum": 1}, 1),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, 1),
        ({"type": "array", "items": False}, []),
        ({"type": "object", "properties": {"b": False}}, {}),
        ({"required": ["b"], "additionalProperties": False, "patternProperties": {".": {}}}, {"b": 1}),
        ({"type": "object", "required": ["b"], "additionalProperties": {}}, {"b": 1}),
        ({"anyOf": [{"enum": []}, {"type": "string"}]}, "x"),
        ({"type": "string", "pattern": "^(a+)+$", "const": "b"}, None),
    ],
    ids=str,
)
def test_a_schema_that_a_value_may_fit_is_not(schema: object, value: object) -> None:
    assert why_never(needs(schema)) == ""
    if value is not None or "null" in str(schema):
        Draft202012Validator(needs(schema)).validate({"a": value})
