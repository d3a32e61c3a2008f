"""Words are told from calls wherever the text is cut, and nothing of a call is ever spoken."""

import json

import pytest

from pipeline.tools.call_parser import CallParser
from pipeline.types.function_tools import WrittenCall

CALL = '<tool_call>\n{"name": "look", "arguments": {"at": "the <tool_call> sign"}}\n</tool_call>'


def parsed(text: str, size: int, *, is_cut: bool = False) -> tuple[str, list[tuple[str, object]]]:
    """All words, and the calls, of a text that comes in pieces of so many characters."""
    parser, words, calls = CallParser(), "", list[tuple[str, object]]()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    for parts in [*map(parser.feed, pieces), parser.finish(is_cut=is_cut)]:
        for part in parts:
            if isinstance(part, WrittenCall):
                calls.append((part.name, json.loads(part.arguments) if part.arguments else None))
            else:
                words += part
    return words, calls


SIZES = pytest.mark.parametrize("size", [1, 2, 7, 11, 1_000])
LOOK = ("look", {"at": "the <tool_call> sign"})


@SIZES
@pytest.mark.parametrize(
    ("text", "words", "calls"),
    [
        ("Hello there. 2 < 3, and <b> too <tool", "Hello there. 2 < 3, and <b> too", []),
        (CALL, "", [LOOK]),
        (f"Let me see.\n{CALL}\n", "Let me see.", [LOOK]),
        (f"{CALL}\n{CALL} That is all.", " That is all.".lstrip(), [LOOK, LOOK]),
        (CALL.removesuffix("\n</tool_call>"), "", [LOOK]),
        ('<tool_call>{"name": "a", "arguments": "{\\"n\\": 1}"}</tool_call>', "", [("a", {"n": 1})]),
        ('<tool_call>```json\n[{"name": "a"}, {"name": "b", "parameters": {"n": 2}}]\n```</tool_call>', "",
         [("a", {}), ("b", {"n": 2})]),
        ('<tool_call>{"type": "function", "function": {"name": "a"}}</tool_call>', "", [("a", {})]),
        ('<tool_call>{"name": "a", "arguments": {"b": </tool_call>Well.', "Well.", [("", None)]),
        ('<tool_call>{"name": "a", "arguments": {"b": "no end}\n</tool_call> Well.', "Well.", [("", None)]),
        ("<tool_call>look around</tool_call>", "", [("", None)]),
        ('<tool_call>{"name": 7}</tool_call>', "", [("", None)]),
        ("<tool_call></tool_call>", "", [("", None)]),
        ("</tool_call>Well.", "Well.", []),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_words_and_calls(text: str, words: str, calls: list[tuple[str, object]], size: int) -> None:
    assert parsed(text, size) == (words, calls)


def test_a_call_that_is_nested_without_end_is_a_wrong_one() -> None:
    assert parsed(f"<tool_call>{'[' * 100_000}</tool_call>", 10_000) == ("", [("", None)])


@SIZES
def test_a_call_that_is_cut_off_is_none(size: int) -> None:
    assert parsed('Wait. <tool_call>\n{"name": "look", "argu', size, is_cut=True) == ("Wait.", [])
    whole = '<tool_call>\n{"name": "look"}'
    assert parsed(whole, size, is_cut=True) == ("", [("look", {})]), "only its end mark is missing"


def test_words_leave_as_soon_as_they_are_none_of_a_call() -> None:
    parser = CallParser()
    assert [*parser.feed("Hello ")] == ["Hello"]
    assert [*parser.feed("there <tool_")] == [" there"]
    assert [*parser.feed("box> is")] == [" <tool_box> is"]
    assert [*parser.finish()] == []


def test_a_line_break_in_a_string_is_escaped() -> None:
    parser = CallParser()
    (call,) = parser.feed('<tool_call>{"name": "send", "arguments": {"text": "one\ntwo\x10"}}</tool_call>')
    assert isinstance(call, WrittenCall)
    assert call.arguments == r'{"text": "one\ntwo\u0010"}'
