"""How much two hypotheses of one sound agree."""

import pytest

from agent.turns.agreement import agree, same_words


@pytest.mark.parametrize(
    ("earlier", "later", "do"),
    [
        ("stop", "Stop, please.", True),
        ("no wait", "No, wait a moment", True),
        ("It's hard.", "It's hard to say.", True),
        ("It's hard.", "It's", False),
        ("It's hard.", "Is a heart", False),
        ("", "stop", False),
        ("...", "stop", False),
    ],
)
def test_the_later_goes_on_from_the_words_of_the_earlier(earlier: str, later: str, *, do: bool) -> None:
    assert agree(earlier, later) is do


def test_case_and_marks_are_no_words() -> None:
    assert same_words("What is it?", "what is it")
    assert not same_words("What is it?", "What it is?")
