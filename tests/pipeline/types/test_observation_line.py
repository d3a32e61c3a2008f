"""What was recognised becomes one line that a person reads, and a small language model is told."""

import pytest

from pipeline.types.observation import Observation, SeenThing
from pipeline.types.observation_line import (
    MOST_CHARACTERS,
    counted,
    observation_line,
    plural,
    shortened,
    with_article,
)

PERSON, BOOK = SeenThing("person"), SeenThing("book")


def test_things_stand_in_order_with_their_articles_and_numbers() -> None:
    assert observation_line(Observation((PERSON, SeenThing("cup", 2), SeenThing("owl")))) == "a person, 2 cups, an owl"


def test_what_is_written_is_quoted_behind_the_things() -> None:
    seen = Observation((PERSON, BOOK), text='Mind   the\n"gap"')
    assert observation_line(seen) == "a person, a book. Text written there: \"Mind the 'gap'\""
    assert observation_line(Observation(text="EXIT")) == 'Text written there: "EXIT"'


@pytest.mark.parametrize(
    "seen", [Observation(), Observation((PERSON,), "EXIT", is_blank=True), Observation(text=" \n")]
)
def test_nothing_and_a_blank_picture_have_no_line(seen: Observation) -> None:
    assert observation_line(seen) == ""


def test_a_page_of_text_is_cut_and_the_things_stay() -> None:
    line = observation_line(Observation((PERSON, BOOK), text="word " * 500))
    assert len(line) <= MOST_CHARACTERS
    assert line.startswith('a person, a book. Text written there: "word word') and line.endswith('word…"')


def test_things_without_end_are_cut_between_two_of_them() -> None:
    line = observation_line(Observation(tuple(SeenThing(f"thing{number:03}") for number in range(100)), "EXIT"))
    assert MOST_CHARACTERS - 20 < len(line) <= MOST_CHARACTERS
    assert all(len(each) == len("a thing000") for each in line.split(", "))


def test_a_text_without_a_space_is_cut_where_its_room_ends() -> None:
    assert len(observation_line(Observation((PERSON,), "x" * 1_000))) == MOST_CHARACTERS
    assert shortened("one two three", 11) == "one two…"
    assert shortened("one two", 7) == "one two"


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ("cup", "a cup"),
        ("apple", "an apple"),
        ("hourglass", "an hourglass"),
        ("unicycle", "a unicycle"),
        ("umbrella", "an umbrella"),
        ("scissors", "scissors"),
        ("toilet paper", "toilet paper"),
        ("Egyptian cat", "an Egyptian cat"),
    ],
)
def test_one_thing_has_the_article_that_is_spoken(name: str, one: str) -> None:
    assert with_article(name) == one


@pytest.mark.parametrize(
    ("name", "many"),
    [
        ("person", "people"),
        ("wine glass", "wine glasses"),
        ("butterfly", "butterflies"),
        ("toy", "toys"),
        ("knife", "knives"),
        ("computer mouse", "computer mice"),
        ("bowl of soup", "bowls of soup"),
        ("box", "boxes"),
        ("bench", "benches"),
        ("scissors", "scissors"),
    ],
)
def test_several_things_are_in_the_plural(name: str, many: str) -> None:
    assert plural(name) == many
    assert counted(SeenThing(name, 3)) == f"3 {many}"
