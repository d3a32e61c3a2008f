"""The words with which somebody stops who is speaking."""

import pytest

from agent.turns.stop_words import STOP_WORDS, stops


@pytest.mark.parametrize(
    "text",
    [
        "Stop.",
        "No, wait!",
        "Was?",
        "Moment mal",
        "Arrête.",
        "Espera",
        "Basta",
        "Não",
        "Wacht",
        "Nie",
        "Vänta",
        "待って",
    ],
)
def test_it_stops(text: str) -> None:
    assert stops(text)


@pytest.mark.parametrize("text", ["", "It's hard.", "mom", "Stoppage", "Je n'en vois.", "The key."])
def test_it_does_not(text: str) -> None:
    assert not stops(text)


def test_whoever_asks_wants_the_floor() -> None:
    assert stops("Rome?") and stops("ローマ？")


def test_a_word_of_another_language_is_none_that_stops() -> None:
    assert stops("Come.", "it") and not stops("Come on.", "en")
    assert stops("Was?", "de") and stops("was", "de") and not stops("It was.", "en")


def test_there_are_ten_languages() -> None:
    assert len(STOP_WORDS) == 10
