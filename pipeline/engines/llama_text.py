"""Reads what llama.cpp's server writes. Pure."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from pipeline.chunks import Message

SILENT = "<|silent|>"  # a model's answer when nothing is to be said


class Refused(Exception):
    """The server says that it cannot serve the prompt."""


def as_json(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.text} for message in messages]


def piece(line: bytes) -> str:
    """The text of one line of the event stream; most lines have none.

    Raises:
        Refused: The line is an error.
    """
    if line.startswith(b"error: "):
        raise Refused(complaint(line.removeprefix(b"error: ").decode()))
    if not line.startswith(b"data: {"):
        return ""
    data: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
    if "error" in data:
        raise Refused(complaint(json.dumps(data)))
    choices = data.get("choices") or [{}]
    return str(choices[0].get("delta", {}).get("content") or "")


def complaint(body: str) -> str:
    """What the server has against a prompt, as a sentence for people."""
    try:
        error = json.loads(body)["error"]
        if error.get("type") == "exceed_context_size_error":
            return f"the conversation is too long: {error['n_prompt_tokens']} tokens, {error['n_ctx']} fit"
        return str(error["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
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
