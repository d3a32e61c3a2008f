"""Reads what llama.cpp's server writes. Pure."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

SILENT = "<|silent|>"  # a model's answer when nothing is to be said


class PromptRefused(Exception):
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
    output: str | None = ""
    async with aclosing(pieces):
        async for text in pieces:
            if output is None:
                yield text
                continue
            output = (output + text).lstrip()
            if output.startswith(SILENT):
                return
            if not SILENT.startswith(output):
                yield output
                output = None
    if output:
        yield output
