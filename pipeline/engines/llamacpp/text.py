"""Reads what llama.cpp's server writes. Pure."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

SILENT = "<|silent|>"  # a model's answer when nothing is to be said


class Refused(Exception):
    """The server says that it cannot serve the prompt."""


def complaint(body: str) -> str:
    """What the server has against a prompt, as a sentence for people."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return "the language model refused the prompt"


async def unless_silent(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """The answer without whitespace in front; nothing of it if it begins with `<|silent|>`.

    Text is held back while it may still become that mark. Closes `pieces`.
    """
    held: str | None = ""
    async with aclosing(pieces):
        async for text in pieces:
            if held is None:
                yield text
                continue
            held = (held + text).lstrip()
            if held.startswith(SILENT):
                return
            if not SILENT.startswith(held):
                yield held
                held = None
    if held:
        yield held
