"""A scripted model that calls a function of its client's and tells what came of it."""

import json
from typing import Any

from pipeline.engines.fake import writes
from pipeline.types.chunks import ChatPrompt
from tests.scenario import Line

WEATHER: dict[str, Any] = {
    "type": "function",
    "name": "get_weather",
    "description": "Tells the weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
ARGUMENTS = {"city": "Paris"}
FIRST = "One moment."
QUESTION = "What is the weather in Paris?"


def call(name: str = "get_weather", **arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments or ARGUMENTS})}\n</tool_call>"


def weather(chat: ChatPrompt) -> str:
    """Calls the function, and tells what it has put out."""
    last = chat.messages[-1]
    return f"It is {last.text} there." if last.call_id else f"{FIRST} {call()}"


def weather_line() -> Line:
    return Line(aura=writes(weather, word_s=0.01))
