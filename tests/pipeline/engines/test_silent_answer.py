"""What a language model writes that is not to be spoken."""

from collections.abc import AsyncGenerator, Callable

import pytest

from pipeline.engines.silent_answer import unless_silent, without_thought

Filter = Callable[[AsyncGenerator[str, None]], AsyncGenerator[str, None]]


async def heard(through: Filter, *pieces: str) -> list[str]:
    async def written() -> AsyncGenerator[str, None]:
        for text in pieces:
            yield text

    return [text async for text in through(written())]


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        (["Hello", " there"], ["Hello", " there"]),
        (["<|silent|>"], []),
        ([" <", "|sil", "ent|", ">", " and more"], []),
        (["\n", " ", "<|silent|> Bye."], []),
        (["<|", "sil", "ly"], ["<|silly"]),
        (["<", "3"], ["<3"]),
        (["<|sil"], ["<|sil"]),
        (["  ", "\n"], []),
        ([" Hello", " <|silent|>"], ["Hello", " <|silent|>"]),
    ],
)
async def test_an_answer_that_begins_with_the_mark_is_none(pieces: list[str], told: list[str]) -> None:
    assert await heard(unless_silent, *pieces) == told


async def test_the_rest_of_a_silent_answer_is_not_waited_for() -> None:
    closed: list[bool] = []

    async def written() -> AsyncGenerator[str, None]:
        try:
            yield "<|silent|>"
            yield "never"
        finally:
            closed.append(True)

    assert [text async for text in unless_silent(written())] == []
    assert closed == [True]


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        (["Hello", " there"], ["Hello", " there"]),
        (["<think>", "They greet.", "</think>", "Hello"], ["Hello"]),
        (["\n<thi", "nk>\nA < b", "</th", "ink>Hello", "."], ["Hello", "."]),
        (["<think></think>Hello"], ["Hello"]),
        (["<think>", "It never", " ends"], []),
        (["<", "3 you"], ["<3 you"]),
        (["<thi"], ["<thi"]),
        (["Use <think> so", "</think>"], ["Use <think> so", "</think>"]),
        (["<think>a</think>", "b", "<think>c</think>"], ["b", "<think>c</think>"]),
    ],
)
async def test_the_thought_in_front_of_an_answer_is_left_out(pieces: list[str], told: list[str]) -> None:
    assert await heard(without_thought, *pieces) == told


async def test_thought_and_silence_in_any_pieces() -> None:
    text = "<think>Nobody asks.</think>\n\n<|silent|>"
    for size in range(1, len(text)):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert await heard(lambda written: unless_silent(without_thought(written)), *pieces) == []
