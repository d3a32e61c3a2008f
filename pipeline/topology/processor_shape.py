"""Finds what cannot be called as a processor: no async generator, or of another number of arguments. Pure."""

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, get_origin


def shape_fault(function: Callable[..., Any], hints: Mapping[str, Any], inboxes: int, *by_name: str) -> str:
    """Why a turn could not call it with its inboxes and the request; empty: it could.

    Args:
        hints: Its annotations. They tell of a plain function that it returns an async generator.
        by_name: What it is given beside these, as keywords.
    """
    gives = hints.get("return")
    if not inspect.isasyncgenfunction(function) and (get_origin(gives) or gives) is not AsyncGenerator:
        kind = "a coroutine function" if inspect.iscoroutinefunction(function) else "a plain function"
        return f"{named(function)} is {kind}, not an async generator (`async def` with `yield`)"
    signature, given = inspect.signature(function), inboxes + 1
    try:
        signature.bind(*range(given), **dict.fromkeys(by_name))
    except TypeError as error:
        what = ["inbox"] if inboxes == 1 else [f"{inboxes} inboxes"]
        told = ", ".join((*what, "request", *(f"{name}=" for name in by_name)))
        return f"{named(function)} takes {signature}, and is given {given + len(by_name)} arguments: {told} ({error})"
    return ""


def named(function: Callable[..., Any]) -> str:
    """A processor, with the module that it stands in."""
    return f"{getattr(function, '__name__', repr(function))} of {getattr(function, '__module__', 'no module')}"
