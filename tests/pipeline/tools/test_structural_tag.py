"""What an engine is told of the calls that it may write."""

import json
from typing import Any

import pytest

from pipeline.tools.structural_tag import structural_tag
from pipeline.types.function_tools import FunctionTool, ToolMode, ToolOptions

CITY = {"type": "object", "properties": {"city": {"type": "string", "pattern": "[A-Z]"}}, "required": ["city"]}
TOOLS = (FunctionTool("get_weather", "Tells it.", json.dumps(CITY)), FunctionTool("now"))


def told(options: ToolOptions, *plain: str) -> dict[str, Any]:
    form: dict[str, Any] = json.loads(structural_tag(options, plain))["format"]
    return form


def schemas(form: dict[str, Any]) -> list[Any]:
    return [tag["content"]["json_schema"] for tag in form["tags"]]


@pytest.mark.parametrize(
    ("mode", "named", "parallel", "form", "stops"),
    [
        ("auto", "", True, "triggered_tags", False),
        ("auto", "", False, "triggered_tags", True),
        ("required", "", True, "tags_with_separator", False),
        ("required", "", False, "tags_with_separator", True),
        ("required", "now", True, "tags_with_separator", True),
    ],
)
def test_a_choice_has_its_form(mode: ToolMode, named: str, parallel: bool, form: str, stops: bool) -> None:
    tag = told(ToolOptions(TOOLS, mode, named, parallel))
    assert (tag["type"], tag["stop_after_first"], tag["at_least_one"]) == (form, stops, mode == "required")
    assert len(tag["tags"]) == (1 if named else 2)


def test_a_call_is_held_from_its_mark_to_its_end() -> None:
    first, _ = told(ToolOptions(TOOLS))["tags"]
    assert first["begin"] == '<tool_call>\n{"name": "get_weather", "arguments": '
    assert first["end"] == "}\n</tool_call>"
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    assert first["content"] == {"type": "json_schema", "json_schema": city, "max_whitespace_cnt": 1}


def test_of_a_schema_that_cannot_be_held_only_an_object_is_told() -> None:
    assert schemas(told(ToolOptions(TOOLS), "get_weather")) == [
        {"type": "object"},
        {"type": "object", "properties": {}},
    ]
