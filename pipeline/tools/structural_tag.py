"""What an engine with structural tags holds an answer to: words as they come, and from a call's mark on only a call
that can be made. Pure."""

import json
from collections.abc import Collection
from typing import Any

from pipeline.tools.call_schema import arguments_schema
from pipeline.tools.prompt_format import CALL, CALL_END
from pipeline.types.function_tools import FunctionTool, ToolOptions

MOST_SPACES = 1  # between two parts of a call


def structural_tag(options: ToolOptions, plain: Collection[str] = ()) -> str:
    """The tag, as JSON: `structural_tag` of vLLM's structured outputs, in the form of XGrammar's `format`.

    Args:
        options: With at least one function that may be called.
        plain: The names of those of whose arguments nothing is said but that they are an object.
    """
    tags = [_tag(tool, plain=tool.name in plain) for tool in options.callable_tools]
    whole: dict[str, Any] = {"tags": tags, "stop_after_first": not options.parallel or bool(options.named)}
    if options.is_required:
        whole |= {"type": "tags_with_separator", "separator": "\n", "at_least_one": True}
    else:
        whole |= {"type": "triggered_tags", "triggers": [CALL], "at_least_one": False}
    return json.dumps({"type": "structural_tag", "format": whole}, ensure_ascii=False)


def _tag(tool: FunctionTool, *, plain: bool) -> dict[str, Any]:
    schema = {"type": "object"} if plain else arguments_schema(tool)
    return {
        "type": "tag",
        "begin": f'{CALL}\n{{"name": {json.dumps(tool.name)}, "arguments": ',
        "content": {"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": MOST_SPACES},
        "end": f"}}\n{CALL_END}",
    }
