"""What two passes have heard alike up to a lull."""

import pytest

from pipeline.speech.confirmed_text import LEAST_MS, ConfirmedText, LullWords, goes_on
from pipeline.types.chunks import Transcript

LULL = Transcript("I have been thinking of my holiday next year", 5_200, settles=True)


def confirmed(text: str, *, lull: Transcript = LULL, audio_end_ms: int = 6_800) -> ConfirmedText | None:
    return LullWords().after(lull).confirmed(Transcript(text, audio_end_ms, settles=False))


def test_what_a_later_pass_begins_with_too_stands_as_that_one_wrote_it() -> None:
    text = "I have been thinking of my holiday next year, and I cannot"
    assert confirmed(text) == ConfirmedText("I have been thinking of my holiday next year,", 5_200)


@pytest.mark.parametrize(
    "text",
    [
        "I have been thinking of my holiday next year.",  # nothing follows: the next pass may yet change the last word
        "I have been sinking of my holiday next year, and I",
        "I have been thinking of my holiday next yearning for",
        "I have been thinking",
        "",
    ],
)
def test_other_words_confirm_nothing(text: str) -> None:
    assert confirmed(text) is None


def test_only_a_pass_over_more_sound_confirms() -> None:
    assert confirmed("I have been thinking of my holiday next year, and", audio_end_ms=5_200) is None


def test_a_beginning_that_is_short_or_no_lull_is_left_with_what_follows() -> None:
    short = Transcript("I have", LEAST_MS - 1, settles=True)
    running = Transcript("I have", LEAST_MS, settles=False)
    assert confirmed("I have been", lull=short) is None
    assert confirmed("I have been", lull=running) is None


def test_a_text_without_words_confirms_nothing() -> None:
    assert confirmed("... and so", lull=Transcript("...", 6_000, settles=True)) is None


@pytest.mark.parametrize(
    ("before", "text", "same"),
    [
        ("", "Hello.", True),
        ("Hello there.", "hello, there's a cat", True),
        ("Hello there", "Hello then", True),
        ("Hello there now", "Hello then now", False),
        ("Stop.", "Play a song.", False),
        ("What is", "", False),
        ("Est-ce que tu peux ?", "Est-ce que tu peux me dire", True),
        ("今天天气怎么样", "今天天气怎么", True),
        ("今天天气怎么样", "明天股票怎么样", False),
        ("東京の天気は", "京都の天気はどうですか", False),
        ("วันนี้อากาศ", "วันนี้อากาศเป็นอย่างไร", True),
        ("आज मौसम", "आज मौसम कैसा है", True),
        ("आज मौसम कैसा", "कल मौसम कैसा", False),
    ],
)
def test_a_pass_says_again_what_the_one_before_it_heard_but_perhaps_for_its_end(
    before: str, text: str, same: bool
) -> None:
    assert goes_on(before, text) is same
