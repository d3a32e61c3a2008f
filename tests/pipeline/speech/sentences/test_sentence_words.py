"""Whether a text ends a sentence, by its marks and its last word."""

import pytest

from pipeline.speech.sentences.sentence_words import ends_sentence, is_marked, is_short, words_over


@pytest.mark.parametrize("text", ["Is it far?", "It is.", 'He said "stop!"', "ここは東京です。", "Where? "])
def test_a_mark_at_the_end_ends_a_sentence(text: str) -> None:
    assert ends_sentence(text)


@pytest.mark.parametrize(
    "text", ["", "What is the capital of", "Well,", "I was thinking about...", "And then…", "3.5 k"]
)
def test_without_a_mark_or_trailing_off_it_goes_on(text: str) -> None:
    assert not ends_sentence(text)
    assert not is_marked(text)


@pytest.mark.parametrize(
    "text", ["Could you tell me, uh?", "I would like uh.", "Peux-tu me dire euh?", "Ähm.", "Hmm.", "So—uh…?", "?"]
)
def test_a_mark_behind_somebody_who_thinks_ends_nothing(text: str) -> None:
    assert not ends_sentence(text)
    assert words_over(text) is False


@pytest.mark.parametrize(("text", "language"), [("Dreh dich bitte um.", "de"), ("Só quero um.", "pt")])
def test_in_some_languages_it_is_a_word(text: str, language: str) -> None:
    assert ends_sentence(text, language)
    assert not ends_sentence(text, "en")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("What is it?", True),
        ("Yes. ", True),
        ("好。", True),
        ("What is the", False),
        ("", False),
        ("Well...", False),
        ("Could you tell me uh?", False),
        ("Je voudrais euh.", False),
        ("I want, uh,?", False),
        ("?", False),
        ("Red,", False),
        ("Uh", False),
        ("I", False),
        ("Two", None),
        ("Half past", None),
    ],
)
def test_a_mark_ends_a_sentence_unless_it_trails_off_and_a_word_or_two_may_be_an_answer(
    text: str, ends: bool | None
) -> None:
    assert words_over(text) is ends


@pytest.mark.parametrize(("language", "over"), [("de", True), ("pt", True), ("lb", True), ("", True), ("en", False)])
def test_um_is_a_word_in_some_languages(language: str, over: bool) -> None:
    assert words_over("Dreh dich um.", language) is over


def test_a_word_or_two_are_short() -> None:
    assert is_short("Half past.") and not is_short("Tell me a story.")
