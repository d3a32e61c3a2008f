"""What a prompt says of clock and calendar: to whom, in which words, and where."""

from datetime import datetime, timedelta, timezone

import pytest

from pipeline.topology.processors.chat import asked2messages
from pipeline.topology.processors.clock import clock_line
from pipeline.topology.processors.embedded import asked2chat
from pipeline.types.history import History, Item
from pipeline.types.turn_request import TurnRequest
from tests.contract.embedded import once

AT = datetime(2026, 6, 2, 16, 5, tzinfo=timezone(timedelta(hours=2)))
LINE = "It is 16:05 on Tuesday, 2 June 2026."


def asked(text: str, at: datetime | None = AT) -> TurnRequest:
    return TurnRequest(History((Item("q", "user", text),)), asked_at=at)


@pytest.mark.parametrize(
    "text",
    [
        "What time is it?",
        "What's the time?",
        "Do you know what time it is, please?",
        "Could you tell me the time?",
        "How late is it?",
        "What day is it today?",
        "What day of the week is it today?",
        "Which year is it?",
        "Can you tell me what month it is?",
        "What is today's date?",
        "What’s the date?",
        "What day is tomorrow?",
        "Is it Monday?",
        "How many days are there until Christmas?",
        "Wie spät ist es?",
        "Welcher Tag ist heute?",
        "Quelle heure est-il ?",
        "Quel jour sommes-nous ?",
        "¿Qué hora es?",
        "Che ore sono?",
    ],
)
def test_who_asks_for_time_or_day_is_told_both(text: str) -> None:
    assert clock_line(asked(text)) == LINE


@pytest.mark.parametrize(
    "text",
    [
        "How many days are there in a leap year?",
        "What day comes after Tuesday?",
        "Tell me a story.",
        "How many minutes are there in an hour?",
        "What is the first month of the year?",
        "I had a long day.",
        "When did Columbus sail to America?",
        "It was a good time.",
        "Last time we spoke of cats.",
        "How is the weather today?",
    ],
)
def test_other_questions_go_without(text: str) -> None:
    assert clock_line(asked(text)) == ""


def test_nobody_who_does_not_know_the_time_tells_it() -> None:
    assert clock_line(asked("What time is it?", None)) == ""


def test_a_guess_of_a_minute_ago_is_still_the_same_question() -> None:
    assert asked("What time is it?") == asked("What time is it?", AT + timedelta(minutes=1))


async def test_the_line_stands_before_the_newest_question_and_nowhere_else() -> None:
    before = (Item("a", "user", "What time is it?"), Item("b", "assistant", "It is four."))
    history = History((*before, Item("c", "user", "What day is it?")))
    for to_prompt in (asked2chat, asked2messages):
        (chat,) = [each async for each in to_prompt(once(), TurnRequest(history, asked_at=AT))]
        *others, question = chat.messages
        assert question.text == f"({LINE})\nWhat day is it?"
        assert LINE not in "".join(message.text for message in others)
