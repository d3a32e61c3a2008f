"""Whether a call that a model has written can be made. Pure."""

from pipeline.tools.schema import fault
from pipeline.types.function_tools import ToolOptions, WrittenCall


def call_fault(call: WrittenCall, options: ToolOptions) -> str:
    """What is wrong with a call, in words for the model; empty: it fits one of the functions that may be called."""
    if not call.name:
        return 'The function call is no JSON object with "name" and "arguments".'
    tool = options.find(call.name)
    if tool is None:
        known = ", ".join(each.name for each in options.callable_tools)
        return f"There is no function {call.name[:64]!r}; there is: {known}."
    wrong = fault(tool, call.arguments)
    return f"The arguments of {tool.name} are wrong: {wrong}" if wrong else ""
