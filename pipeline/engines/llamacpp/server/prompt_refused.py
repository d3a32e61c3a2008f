"""The error of a prompt that llama.cpp's server does not serve. Pure."""

import json
from typing import Self


class PromptRefused(Exception):
    """The server says that it cannot serve the prompt."""

    @classmethod
    def of(cls, body: str) -> Self:
        """Takes from the body of an error what the server has against the prompt, as a sentence for people."""
        try:
            return cls(str(json.loads(body)["error"]["message"]))
        except (ValueError, KeyError, TypeError):
            return cls("the language model refused the prompt")
