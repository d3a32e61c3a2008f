"""The rules by which the answers of a bench are judged."""

from pathlib import Path
from time import strptime

import pytest

from infra.bench.answers.cli import line, score
from infra.bench.answers.questions import Question, read_talks
from infra.bench.answers.run import Answered, said

NOON = strptime("2026-01-05 12:00", "%Y-%m-%d %H:%M")  # a Monday


@pytest.mark.parametrize(
    ("question", "answer", "right"),
    [
        (Question("How many?", right=(r"\beight\b", r"\b8\b")), "Eight.", True),
        (Question("How many?", right=(r"\beight\b", r"\b8\b")), "Two cats have 18 legs.", False),
        (Question("Tell me.", least_words=3, wrong=("cannot",)), "Once upon a time", True),
        (Question("Tell me.", least_words=3, wrong=("cannot",)), "I CANNOT tell you that", False),
        (Question("Tell me.", least_words=3), "No.", False),
        (Question("Thanks.", silent=True), "", True),
        (Question("Thanks.", silent=True), "Bye!", False),
        (Question("Thanks.", silent=True, right=("bye",)), "Bye!", True),
        (Question("Who?", right=("me",)), " ", False),
        (Question("What day?", clock=("%A",), right=("cannot",)), "It is monday.", True),
        (Question("What day?", clock=("%A",), right=("cannot",)), "It is Tuesday.", False),
        (Question("What day?", clock=("%d", "%A")), "It is monday.", True),
        (Question("What day?", clock=("%d", "%A")), "I have no clock.", False),
    ],
)
def test_an_answer_is_right_that_keeps_all_rules(question: Question, answer: str, *, right: bool) -> None:
    assert question.is_right(answer, NOON) is right


def test_there_are_a_hundred_questions_that_count_and_each_talk_has_one() -> None:
    talks = read_talks()
    assert sum(question.is_counted for talk in talks for question in talk.turns) >= 100
    assert all(any(question.is_counted for question in talk.turns) for talk in talks)
    assert len({question.ask for talk in talks for question in talk.turns}) >= 100


def test_a_rule_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "questions.toml"
    file.write_text('[[talk]]\nkind = "facts"\nturns = [{ ask = "Why?", right = ["(" ] }]\n')
    with pytest.raises(ValueError, match=r"'Why\?': '\(' is no regular expression"):
        read_talks(file)


def test_the_score_counts_only_what_has_rules() -> None:
    counted = Question("Which?", right=("this",))
    answered = [
        Answered("facts", counted, "This.", True, 0.5),
        Answered("facts", counted, "", False, None),
        Answered("memory", Question("My name is Rex."), "Hello.", True, 0.7),
    ]
    assert score(answered).splitlines()[1:] == [
        "facts            1    2",
        "all              1    2   50%",
        "first word after 0.60 s (median)",
    ]
    assert [line(each)[:5] for each in answered] == ["right", "WRONG", "  -  "]


def test_what_was_said_is_that_of_all_messages() -> None:
    content = [{"type": "output_text", "text": "Hello "}, {"type": "output_audio", "transcript": "there."}]
    assert said({"output": [{"type": "message", "content": content}]}) == "Hello there."
    assert said({"output": []}) == ""
