"""Reads what llama.cpp's server writes. Pure."""

import json


class PromptRefused(Exception):
    """The server says that it cannot serve the prompt."""


def complaint(body: str) -> str:
    """What the server has against a prompt, as a sentence for people."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return "the language model refused the prompt"
