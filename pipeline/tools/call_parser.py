"""Tells words from function calls in what a model writes, as it writes it. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pipeline.tools.prompt_format import CALL, CALL_END
from pipeline.types.function_tools import WrittenCall

_MARK = re.compile(f"{re.escape(CALL)}|{re.escape(CALL_END)}")
_FENCE = re.compile(r"```(?:json)?")
_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')
_DECODER = json.JSONDecoder(strict=False)  # models, and what holds them to a grammar, put line breaks into strings


class CallParser:
    """Feed it the text piece by piece: words come back as soon as they cannot be the beginning of a call any more.

    A call stands between `<tool_call>` and `</tool_call>`. Nothing of it comes back as words, not even of one that
    cannot be read. Whitespace at the end, and in front of a call, is left out.
    """

    def __init__(self) -> None:
        self._held = ""
        self._has_words = False
        self._is_inside = False  # of a call

    def feed(self, text: str) -> Iterator[str | WrittenCall]:
        """The words and the calls that are complete with `text`."""
        self._held += text
        while True:
            if self._is_inside:
                end = _end_of_call(self._held)
                if end < 0:
                    return
                yield from _calls(self._held[:end])
                self._held, self._is_inside = self._held[end + len(CALL_END) :], False
            elif mark := _MARK.search(self._held):
                yield from self._words(self._held[: mark.start()].rstrip())
                self._held, self._is_inside = self._held[mark.end() :], mark[0] == CALL
            else:
                safe = len(self._held[: len(self._held) - _open_mark(self._held)].rstrip())
                words, self._held = self._held[:safe], self._held[safe:]
                yield from self._words(words)
                return

    def finish(self, *, is_cut: bool = False) -> Iterator[str | WrittenCall]:
        """The text has ended: what is left of it.

        Args:
            is_cut: There was no room for more: a call that is not complete is none.
        """
        held, self._held = self._held, ""
        if not self._is_inside:
            yield from self._words(held[: len(held) - _open_mark(held)].rstrip())
            return
        body, end, rest = held.partition(CALL_END)  # its end mark may be missing, or stand in a string that never ends
        if end or not is_cut or _values(body):
            yield from _calls(body)
        yield from self._words(rest.strip())

    def _words(self, words: str) -> Iterator[str]:
        if not self._has_words:
            words = words.lstrip()
        if words:
            self._has_words = True
            yield words


def _open_mark(text: str) -> int:
    """How many characters at the end of a text may become a mark."""
    longest = min(len(CALL_END) - 1, len(text))
    return next((size for size in range(longest, 0, -1) if _may_become_mark(text[-size:])), 0)


def _may_become_mark(text: str) -> bool:
    return CALL.startswith(text) or CALL_END.startswith(text)


def _end_of_call(text: str) -> int:
    """Where the call ends, by the first end mark that is in no string; -1: it goes on."""
    at = text.find(CALL_END)
    while at >= 0 and len(_QUOTE.findall(text[:at])) % 2:
        at = text.find(CALL_END, at + 1)
    return at


def _calls(body: str) -> Iterator[WrittenCall]:
    """The calls between two marks: as a rule one."""
    raw = f"{CALL}\n{body.strip()}\n{CALL_END}"
    values = _values(body)
    if not values:
        yield WrittenCall("", "", raw)
    for value in values:
        yield _call(value, raw)


def _call(value: dict[str, Any], raw: str) -> WrittenCall:
    value = value["function"] if isinstance(value.get("function"), dict) else value
    name, arguments = value.get("name"), value.get("arguments", value.get("parameters", {}))
    if isinstance(arguments, str):  # JSON in JSON
        arguments = next(iter(_values(arguments)), arguments)
    if not isinstance(name, str):
        return WrittenCall("", "", raw)
    return WrittenCall(name, json.dumps(arguments, ensure_ascii=False), raw)


def _values(text: str) -> list[dict[str, Any]]:
    """The JSON objects that a text begins with, one after the other or in a list; none, if that is no JSON."""
    found: list[dict[str, Any]] = []
    text = _FENCE.sub(" ", text).strip()
    while text.startswith(("{", "[")):
        try:
            value, end = _DECODER.raw_decode(text)
        except (ValueError, RecursionError):
            return []
        found += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
        text = text[end:].lstrip(" \n\t,;")
    return found
