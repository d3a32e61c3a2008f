"""Which JSON Schemas are served, which arguments fit them, and what engines are held to."""

import json
from typing import Any

import pytest

from pipeline.tools.call_check import call_fault
from pipeline.tools.call_schema import call_schema
from pipeline.tools.schema import SchemaRefused, check_schema, fault, inlined
from pipeline.types.function_tools import FunctionTool, ToolOptions, WrittenCall

PLACE = {"type": "object", "properties": {"city": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["city"]}
TRIP: dict[str, Any] = {
    "type": "object",
    "$defs": {"Place": PLACE},
    "properties": {
        "to": {"$ref": "#/$defs/Place", "title": "where"},
        "definitions": {"type": "integer", "minimum": 1},
        "how": {"enum": ["train", {"$ref": "data"}]},
    },
    "required": ["to"],
    "additionalProperties": False,
}
TOOL = FunctionTool("travel", "Travels.", json.dumps(TRIP))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ('{"to": {"city": "Rome"}}', ""),
        ('{"to": {"city": "' + "a" * 60 + 'b"}, "definitions": 2, "how": "train"}', ""),
        ('{"to": {}}', "to: 'city' is a required property"),
        ('{"to": {"city": 7}}', "to.city: 7 is not of type 'string'"),
        ('{"to": {"city": "Rome"}, "definitions": 0}', "definitions: 0 is less than the minimum of 1"),
        ('{"to": {"city": "Rome"}, "by": 1}', "Additional properties are not allowed ('by' was unexpected)"),
        ("{", "the arguments are no JSON"),
        ('{"to": ' + "[" * 100_000, "the arguments are no JSON"),
        ("[]", "the arguments are no JSON object"),
    ],
)
def test_arguments_are_held_against_the_schema(arguments: str, wrong: str) -> None:
    assert fault(TOOL, arguments) == wrong


def test_a_pattern_at_the_top_is_not_checked_either() -> None:
    tool = FunctionTool("note", "", json.dumps({"type": "object", "patternProperties": {"^a": {"type": "string"}}}))
    assert fault(tool, '{"a": 1}') == ""


def doubled(times: int) -> dict[str, Any]:
    """Each definition refers twice to the next one."""
    pairs = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(times)}
    return {"type": "object", "$ref": "#/$defs/d0", "$defs": {**pairs, f"d{times}": {}}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string"}, "it must be the schema of an object"),
        ({"type": ["object", "null"]}, "it must be the schema of an object"),
        ({"properties": {"a": {"type": "hammer"}}}, "it is no JSON Schema: 'hammer' is not valid"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "`$ref` '#/$defs/b' does not stand in it"),
        ({"$ref": "http://127.0.0.1/x"}, "`$ref` 'http://127.0.0.1/x' does not stand in it"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "`$ref` '#/properties/a' refers to itself"),
        ({"$ref": "#"}, "`$ref` '#' refers to itself"),
        ({"properties": {"a": {"items": {"$ref": "#"}}}}, "`$ref` '#' refers to itself"),
        ({"properties": {"a": {"enum": []}}, "required": ["a"]}, "no arguments can fit it: a: `enum` is empty"),
        ({"$dynamicRef": "#a"}, "`$dynamicRef` is not served"),
        (doubled(40), "it is nested deeper than 32 levels, or has more than 2,000 parts"),
        ({"properties": {f"p{n}": {"type": "string"} for n in range(2_000)}}, "more than 2,000 parts"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_schema_that_cannot_be_held_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(SchemaRefused) as refused:
        check_schema(schema)
    assert why in str(refused.value)


def test_a_part_may_be_referred_to_beside_a_reference_to_it() -> None:
    whole = inlined({"$ref": "#/$defs/a", "properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"minimum": 1}}})
    assert whole == {"minimum": 1, "properties": {"x": {"minimum": 1}}}


def test_references_stand_in_their_places() -> None:
    check_schema(TRIP)
    whole = inlined(TRIP)
    assert whole["properties"]["to"] == {**PLACE, "title": "where"}
    assert whole["properties"]["how"] == TRIP["properties"]["how"], "what is data stays as it is"
    assert whole["properties"]["definitions"] == {"type": "integer", "minimum": 1}, "a property may have any name"
    assert "$defs" not in whole


@pytest.mark.parametrize(
    ("name", "arguments", "options", "wrong"),
    [
        ("travel", '{"to": {"city": "Rome"}}', ToolOptions((TOOL,)), ""),
        ("travel", "{}", ToolOptions((TOOL,)), "The arguments of travel are wrong: 'to' is a required property"),
        ("fly", "{}", ToolOptions((TOOL,)), "There is no function 'fly'; there is: travel."),
        ("", "", ToolOptions((TOOL,)), 'The function call is no JSON object with "name" and "arguments".'),
        (
            "travel",
            "{}",
            ToolOptions((TOOL, FunctionTool("stay")), "required", "stay"),
            "There is no function 'travel'; there is: stay.",
        ),
    ],
)
def test_a_call_is_checked(name: str, arguments: str, options: ToolOptions, wrong: str) -> None:
    assert call_fault(WrittenCall(name, arguments, ""), options) == wrong


def test_an_engine_is_held_to_one_of_the_functions_that_may_be_called() -> None:
    options = ToolOptions((TOOL, FunctionTool("stay")))
    travel, stay = call_schema(options)["anyOf"]
    assert (travel["properties"]["name"], stay["properties"]["name"]) == ({"const": "travel"}, {"const": "stay"})
    assert travel["required"] == ["name", "arguments"]
    city = travel["properties"]["arguments"]["properties"]["to"]["properties"]["city"]
    assert city == {"type": "string"}, "no grammar is made of a pattern"
    assert call_schema(ToolOptions((TOOL,)), plain=True)["properties"]["arguments"] == {"type": "object"}
    assert call_schema(ToolOptions(options.tools, "required", "stay")) == stay
