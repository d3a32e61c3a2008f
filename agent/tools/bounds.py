"""This module keeps what tools are given and return small enough to be told. Pure."""

import json
import re
from collections.abc import Mapping

import msgspec

MOST_RESULT = 8_000  # bytes of a result that the model is told
MOST_SHOWN = 400  # letters of arguments, or of a result, that people are shown
MOST_FAULT = 300  # letters of a line that says what failed

_SECRET = re.compile(
    r"passw|passphrase|passcode|secret|token|api_?key|(?<![a-z])pin(?![a-z])|credential|authorization", re.IGNORECASE
)
HIDDEN = "…"


def bounded(text: str, most: int = MOST_RESULT) -> str:
    """The text in at most `most` bytes of UTF-8; of a longer one the beginning, and how much there was."""
    encoded = text.encode(errors="replace")
    if len(encoded) <= most:
        return encoded.decode()
    note = f" … (cut: it has {len(encoded):,} bytes)"
    return encoded[: most - len(note.encode())].decode(errors="ignore") + note


def line(text: str, most: int = MOST_FAULT) -> str:
    """The text as one line of at most `most` letters, all of which UTF-8 has."""
    words = " ".join(text[: most * 4].split()).encode(errors="replace").decode()
    return words if len(words) <= most else f"{words[: most - 1]}…"


def shown_arguments(arguments: Mapping[str, object]) -> str:
    """Arguments as people may see them, as JSON in one line: what has the name of a secret is hidden, however deep."""
    return line(as_json(_shown(arguments)), MOST_SHOWN)


def _shown(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: HIDDEN if _SECRET.search(str(name)) else _shown(each) for name, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list) else value


def as_json(value: object, *, is_ordered: bool = False) -> str:
    """The value as JSON; what JSON has no form for as a string.

    Args:
        is_ordered: By names, which must be strings: equal values are equal texts.

    Raises:
        RecursionError: It holds itself.
    """
    try:
        return msgspec.json.encode(value, order="sorted" if is_ordered else None, enc_hook=str).decode()
    except UnicodeEncodeError:  # half a pair of surrogates, which JSON can hold and UTF-8 cannot
        return json.dumps(value, sort_keys=is_ordered, default=str)
