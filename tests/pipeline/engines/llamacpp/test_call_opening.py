"""A small model's call is noticed at its first characters, with its marks or without."""

import pytest

from pipeline.engines.llamacpp.call_opening import CallOpening


def opened(text: str, size: int) -> tuple[str, bool]:
    """The words in front of a call, and whether there is one."""
    opening, words = CallOpening(), ""
    for start in range(0, len(text), size):
        words += opening.feed(text[start : start + size])
        if opening.is_open:
            return words, True
    return words + opening.held, False


@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<tool_call>\n{"name": "a"}', ""),
        ('{"name": "a"}', ""),
        ('\n[{"name": "a"}]', "\n"),
        ('```json\n{"name": "a"}', ""),
        ('Sure. {"name": "a"}', "Sure. "),
        ('Sure.\n```json\n{"name": "a"}', "Sure.\n"),
        ("Let me see.<tool_call>", "Let me see."),
    ],
)
def test_a_call_begins(text: str, words: str, size: int) -> None:
    found, is_open = opened(text, size)
    assert is_open
    assert found.strip() == words.strip()


@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize(
    "text",
    ["It is 5 < 6.", "Use <b> for bold.", "In Python: ```python\nprint({1})\n```", "A set {1, 2} and [3].", "Hello ["],
)
def test_words_are_no_call(text: str, size: int) -> None:
    assert opened(text, size) == (text, False)
