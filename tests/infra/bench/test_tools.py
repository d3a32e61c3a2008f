"""The bench of function calls: what is asked, and which calls count as right."""

import json

import pytest

from infra.bench.tools.requests import ToolRequest, read_requests
from infra.bench.tools.run import ToolAnswer
from infra.bench.tools.waits import ToolWait, told
from pipeline.tools.call_check import call_fault
from pipeline.tools.schema import check_schema
from pipeline.types.function_tools import FunctionCall, ToolOptions, WrittenCall

LIGHT = ToolRequest("Light!", "set_light", {"room": "(the )?kitchen", "on": "true"})


@pytest.mark.parametrize(
    ("calls", "right"),
    [
        ([("set_light", {"room": "Kitchen", "on": True})], True),
        ([("set_light", {"room": "the kitchen ", "on": True, "color": ""})], True),
        ([("set_light", {"room": "kitchenette", "on": True})], False),
        ([("set_light", {"room": "kitchen", "on": False})], False),
        ([("set_light", {"room": "kitchen"})], False),
        ([("set_light", {"room": "kitchen", "on": True, "color": "red"})], False),
        ([("set_lamp", {"room": "kitchen", "on": True})], False),
        ([("set_light", {"room": "kitchen", "on": True})] * 2, False),
        ([], False),
    ],
)
def test_the_one_function_is_called_with_the_arguments_that_were_asked_for(
    calls: list[tuple[str, dict[str, object]]], right: bool
) -> None:
    made = [FunctionCall("c", name, json.dumps(arguments)) for name, arguments in calls]
    assert LIGHT.is_right(made) is right
    assert ToolAnswer(LIGHT, made, "", 1.0).is_right is right


def test_forty_requests_want_five_functions_eight_times_each() -> None:
    known = read_requests()
    assert len(known.tools) == 5
    assert len(known.requests) == len({request.ask for request in known.requests}) == 40
    for tool in known.tools:
        check_schema(json.loads(tool.parameters))
        wanted = [request for request in known.requests if request.tool == tool.name]
        assert len(wanted) == 8
        needed = json.loads(tool.parameters)["required"]
        assert all([*request.arguments] == needed for request in wanted)


def test_a_call_that_lacks_an_argument_does_not_fit() -> None:
    options = ToolOptions(read_requests().tools)
    assert "'on' is a required property" in call_fault(WrittenCall("set_light", '{"room": "kitchen"}', ""), options)


def test_the_waits_are_told_with_what_the_agent_adds_before_it_holds_the_floor() -> None:
    waits = [ToolWait(1.0, 0.5, 2.0), ToolWait(3.0, 0.5, 4.0), ToolWait(2.0, 0.3, 2.5)]
    assert told(waits).splitlines() == [
        "question -> call: median 2.0 s, longest 3.0 s",
        "question -> first held word, of a slow tool: median 3.3 s, longest 4.5 s",
        "tool result -> first sound: median 2.5 s, longest 4.0 s",
    ]
