"""How an answer is cut into clauses for the voice."""

import random
import time

import pytest

from pipeline.topology.processors.clauses import LONGEST, ClauseSplitter


def cut(text: str, size: int = 3) -> list[str]:
    """The clauses of a text that arrives in pieces of `size` characters."""
    clauses = ClauseSplitter()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [clause for piece in pieces for clause in clauses.feed(piece)] + list(clauses.finish())


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_sentences_are_cut_alike_however_the_text_arrives(size: int) -> None:
    assert cut("It is noon. Are you hungry? I am!", size) == ["It is noon.", " Are you hungry?", " I am!"]


def test_clauses_concatenate_to_the_text_whatever_it_is() -> None:
    dice = random.Random(7)
    for _ in range(300):
        text = "".join(
            dice.choice(["word", " ", ". ", ", ", "3.1", "\n", "Mr. ", "and ", "…", "😀", "—"]) for _ in range(60)
        )
        assert "".join(cut(text, dice.randint(1, 9))) == text


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Well, yes, I think so, as it is late.", "Well, yes, I think so,"),  # too short at the first two commas
        ("To make tea, boil some water.", "To make tea,"),
        ("A spider has eight legs and two body parts.", "A spider has eight legs"),  # a linking word
        ("The largest ocean on Earth is the Pacific.", "The largest ocean"),
        ("I am sorry, I cannot do that today.", "I am sorry,"),
        ("One two three four five six seven eight nine.", "One two three four five six"),
        ("Paris. It lies by the Seine.", "Paris."),
        ("The capital of France is Paris.", "The capital of France"),  # a subject of some words
        ("There are seven days in a week.", "There are seven days"),
        ("Bees make honey.", "Bees make honey."),
    ],
)
def test_the_first_clause_ends_early(text: str, first: str) -> None:
    assert cut(text)[0] == first


def test_the_first_clause_is_told_before_its_sentence_ends() -> None:
    assert list(ClauseSplitter().feed("The whale is the largest animal, ")) == ["The whale is the largest animal,"]


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("The capital of France is", "The capital of France"),
        ("There are seven days in", "There are seven days"),
        ("I am sorry,", "I am sorry,"),
    ],
)
def test_the_first_clause_waits_for_no_word_behind_the_mark_or_the_word_that_shows_its_end(
    text: str, clause: str
) -> None:
    assert list(ClauseSplitter().feed(text)) == [clause]


@pytest.mark.parametrize("text", ["It costs about 7,", "At half past 9:"])
def test_a_mark_behind_a_digit_may_be_a_part_of_a_number(text: str) -> None:
    assert list(ClauseSplitter().feed(text)) == []


def test_the_first_sentence_need_not_wait_for_what_follows_it() -> None:
    assert list(ClauseSplitter().feed("Bees make honey.")) == ["Bees make honey."]
    assert list(ClauseSplitter().feed("Really?")) == ["Really?"]


@pytest.mark.parametrize("text", ["Pi is 3.", "It was Prof.", 'He said "do stop.', "See example.org/a.", "I met J."])
def test_a_full_stop_that_may_end_nothing_waits_for_what_follows_it(text: str) -> None:
    assert list(ClauseSplitter().feed(text)) == []


def test_the_second_clause_is_short_too_and_the_third_and_later_ones_are_whole_sentences() -> None:
    """So that there is something to be spoken where a language model writes as slowly as people speak."""
    early, later = (
        ["Yes.", " In the morning we went", " to the market,"],
        " and at noon, when it was hot, we came home again.",
    )
    assert cut("".join(early) + later) == [*early, later]


@pytest.mark.parametrize(
    "sentence",
    [
        "Pi is 3.14.",
        "Mr. Smith met Dr. Jones.",
        "Fruit costs e.g. 1.5 euros.",
        "It is 9:30 a.m. now.",
        "See https://example.com/a.b?c=d.e now.",
        "J. K. Rowling wrote it.",
        "The U.S. won.",
    ],
)
def test_a_full_stop_inside_a_sentence_ends_nothing(sentence: str) -> None:
    assert cut(f"Yes. {sentence} Good.") == ["Yes.", f" {sentence}", " Good."]


def test_a_quotation_mark_stays_with_its_sentence() -> None:
    assert cut('Ok. He said "stop." Then he left.') == ["Ok.", ' He said "stop."', " Then he left."]


def test_no_is_an_answer_of_its_own() -> None:
    assert cut("No. I cannot see you.") == ["No.", " I cannot see you."]


def test_items_of_a_list_keep_their_number() -> None:
    assert cut("Sure.\n1. Apples\n2. Pears") == ["Sure.", "\n1. Apples\n", "2. Pears"]


def test_a_sentence_without_end_is_cut_at_a_space() -> None:
    clauses = cut("Yes. " + "word " * 200)
    assert max(map(len, clauses)) <= LONGEST
    assert all(clause.split() == ["word"] * len(clause.split()) for clause in clauses[1:])


def test_a_word_without_end_is_cut_too() -> None:
    assert max(map(len, cut("x" * 2000))) <= LONGEST


@pytest.mark.parametrize("text", ["", " ", "\n\n", "..."])
def test_what_is_no_text_makes_at_most_one_clause(text: str) -> None:
    assert cut(text) == ([text] if text else [])


def test_a_long_list_is_cut_at_a_comma_so_that_its_speech_need_not_wait_for_its_end() -> None:
    count = ", ".join(f"number {number}" for number in range(30))
    clauses = cut(count)
    assert "".join(clauses) == count
    assert all(len(clause) <= 100 for clause in clauses)


@pytest.mark.parametrize("text", ["x" * 6_000, "." * 6_000, "so it goes on " * 500 + "."], ids=["x", "stops", "words"])
def test_a_long_text_that_arrives_at_once_holds_nobody_up(text: str) -> None:
    began = time.process_time()
    assert max(map(len, cut(text, len(text)))) <= LONGEST
    assert time.process_time() - began < 2.0, "all callers wait meanwhile"
