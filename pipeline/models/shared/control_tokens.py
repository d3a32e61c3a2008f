"""Breaks up what a model would read as a control token of its own in text that people say and write. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

LONGEST_MARK = 40  # characters of a line that begins a message; a longer one is a sentence

_BRACKETED = re.compile(r"[^\w\s]\S*\w\S*[^\w\s]")


class ControlTokens:
    """Texts that have power over a prompt: with one of them, what somebody says could pose as somebody else's words.

    Args:
        texts: As the vocabulary of the model and its chat template write them.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        known = sorted({text.strip() for text in texts} - {""}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, known))) if known else None

    def escape(self, text: str) -> str:
        """The text, with a space inside each of them that it holds."""
        while self._pattern and self._pattern.search(text):  # what is broken up may leave another one
            text = self._pattern.sub(_broken, text)
        return text

    def split(self, text: str) -> list[str]:
        """Returns what stands around the control tokens of a text."""
        return self._pattern.split(text) if self._pattern else [text]


def escape_control_tokens(text: str) -> str:
    """Without half characters, and without the marks of templates: with them it could pose as somebody else's."""
    return text.encode(errors="replace").decode().replace("<|", "< |")


def looks_like_control(text: str) -> bool:
    """Whether a token that was added to a vocabulary is a mark such as `<tool_call>`, and no word or white space."""
    return bool(_BRACKETED.fullmatch(text))


def written_by_template(rendered: str, contents: Sequence[str], control: ControlTokens) -> Iterator[str]:
    """What a chat template writes in plain letters to begin or end a message, such as `[INST]` or `### Question:`.

    Args:
        rendered: Messages as the template writes them.
        contents: The texts of these messages, each like no other text.
        control: What need not be found.
    """
    for around in re.split("|".join(map(re.escape, contents)), rendered):
        for plain in control.split(around):
            for line in map(str.strip, plain.splitlines()):
                if len(line) <= LONGEST_MARK and _is_mark(line):
                    yield line
                    yield from _BRACKETED.findall(line)


def _is_mark(line: str) -> bool:
    """A name alone, such as `user`, is none: everybody says it."""
    return any(map(str.isalnum, line)) and not (line[0].isalnum() and line[-1].isalnum())


def _broken(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) == 1:
        return " "
    return f"{text[:-1]} {text[-1]}" if text[0].isalnum() else f"{text[0]} {text[1:]}"
