"""How an answer is cut into words for a voice that takes text as it is written."""

import random
import time

import pytest

from pipeline.topology.processors.words import LONGEST, WordSplitter


def cut(text: str, size: int = 1) -> list[str]:
    """The words of a text that arrives in pieces of `size` characters."""
    words = WordSplitter()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [word for piece in pieces for word in words.feed(piece)] + list(words.finish())


def test_the_first_word_leaves_as_soon_as_the_next_one_begins() -> None:
    words = WordSplitter()
    assert list(words.feed("A")) == []
    assert list(words.feed(" spider")) == ["A"]
    assert list(words.feed("s")) == []
    assert list(words.feed(" have")) == [" spiders"]
    assert list(words.finish()) == [" have"]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_words_are_cut_alike_however_the_text_arrives(size: int) -> None:
    assert cut("It is noon. Are you, too?", size) == ["It", " is", " noon.", " Are", " you,", " too?"]


def test_words_concatenate_to_the_text_whatever_it_is() -> None:
    dice = random.Random(7)
    for _ in range(100):
        text = "".join(
            dice.choice(
                ["word", " ", ". ", ", ", "3.1", "\n", "Mr. ", "and ", "…", "😀", "—", "你好", "，", "。", "x" * 90]
            )
            for _ in range(60)
        )
        assert "".join(cut(text, dice.randint(1, 9))) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I met Dr. No there.", ["I", " met", " Dr. No", " there."]),  # no sentence has ended
        ("J. K. Rowling", ["J. K. Rowling"]),
        ("Sure.\n1. Apples\n2. Pears", ["Sure.\n", "1. Apples\n", "2. Pears"]),
        ("eggs\n- milk\n", ["eggs\n", "- milk\n"]),
        ("Pi is 3.14 or so.", ["Pi", " is", " 3.14", " or", " so."]),
        ("one — two", ["one", " — two"]),
        ("Ça va ? Oui.", ["Ça", " va", " ?", " Oui."]),
        ('He said "stop." Then', ["He", " said", ' "stop."', " Then"]),
        ("😀 Yes", ["😀 Yes"]),
        ("你好，世界。再见", ["你好", "，世界。", "再见"]),
    ],
)
def test_a_piece_is_as_long_as_it_must_be(text: str, words: list[str]) -> None:
    assert cut(text, 2) == words


@pytest.mark.parametrize("text", ["Yes.", "Really?", "Thanks!"])
def test_an_answer_of_a_word_need_not_wait_for_what_follows_it(text: str) -> None:
    assert list(WordSplitter().feed(text)) == [text]


@pytest.mark.parametrize("text", ["Pi", "Prof.", "J.", "3.", '"Yes.', "..."])
def test_what_may_go_on_waits(text: str) -> None:
    assert list(WordSplitter().feed(text)) == []


def test_a_word_without_end_is_cut() -> None:
    assert max(map(len, cut("x" * 500))) == LONGEST


@pytest.mark.parametrize(
    "text", ["x" * 6_000, " " * 6_000, "." * 6_000, "a b " * 20_000], ids=["x", "blanks", "stops", "words"]
)
def test_a_long_text_that_arrives_at_once_holds_nobody_up(text: str) -> None:
    began = time.process_time()
    assert max(map(len, cut(text, len(text)))) <= LONGEST
    assert time.process_time() - began < 2.0, "all callers wait meanwhile"
