"""Callers who are known to come: how their prompts begin, which is read before they do."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from pipeline.tools.offered_tool import ToolRefused, function_tool
from pipeline.tools.prompt_format import tool_text
from pipeline.topology.processors.embedded import (
    INSTRUCTIONS_TOKENS,
    TOOLS_TOKENS,
    prompt_stem,
    tokens,
    tool_tokens,
    tools_stem,
)
from pipeline.types.chunks import ChatMessage, ChatPrompt
from pipeline.types.function_tools import FunctionTool, ToolOptions


class KnownTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function that a caller offers, as a deployment file has it and a client would send it."""

    name: str
    description: str = ""
    parameters: dict[str, Any] | None = None

    def tool(self) -> FunctionTool:
        """See `function_tool`."""
        return function_tool(self.name, self.description, self.parameters)


def known_prompts(instructions: Sequence[str], tools: Sequence[Sequence[Any]]) -> tuple[ChatPrompt, ...]:
    """What callers who are known to come ask with, those that are wanted soonest in front.

    Whoever offers functions is answered behind a prompt with them, and once one has been called behind one without.

    Args:
        instructions: What each is told; the first may show something.
        tools: What each offers, in the same order.
    """
    callers = list(zip_longest(instructions, map(_tools, tools), fillvalue=()))
    told = [str(text or "") for text, _ in callers]
    offering = [_prompt(tools_stem(text), offered) for text, (_, offered) in zip(told, callers, strict=True) if offered]
    blind = [_prompt(prompt_stem(text, sees=False)) for text in told]
    sighted = [_prompt(prompt_stem(text, sees=True)) for text in told[:1]]
    return (*offering[:1], *blind[:1], *sighted, *offering[1:], *blind[1:])


def instructions_fault(value: list[Any]) -> str:
    """What is wrong with the instructions of a deployment file; empty: nothing."""
    if not all(isinstance(text, str) for text in value):
        return "a list of texts is needed"
    long = next((text for text in value if tokens(text.strip()) > INSTRUCTIONS_TOKENS), None)
    return f"no caller could send {len(long):,} letters" if long else ""


def tools_fault(value: list[Any]) -> str:
    """What is wrong with the functions of a deployment file; empty: nothing."""
    try:
        for at, known in enumerate(msgspec.convert(value, list[list[KnownTool]])):
            offered: list[FunctionTool] = []
            for tool in known:
                try:
                    offered.append(tool.tool())
                except ToolRefused as refused:
                    return f"`{refused.field}` of {tool.name} of caller {at}: {refused}"
            if (taken := tool_tokens("\n".join(map(tool_text, offered)))) > TOOLS_TOKENS:
                return f"caller {at}: about {taken:,} tokens, and no caller could offer more than {TOOLS_TOKENS}"
    except msgspec.ValidationError as error:
        return f"a list of functions for each caller is needed: {error}"
    return ""


def _tools(known: Sequence[Any]) -> tuple[FunctionTool, ...]:
    return tuple(each.tool() for each in msgspec.convert(known, list[KnownTool]))


def _prompt(stem: tuple[ChatMessage, ...], tools: Sequence[FunctionTool] = ()) -> ChatPrompt:
    return ChatPrompt(stem, "", 0, stem=len(stem), tools=ToolOptions(tuple(tools)))
