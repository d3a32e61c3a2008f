"""What llama.cpp's server writes, and how it is read."""

from collections.abc import AsyncGenerator

import pytest

from pipeline.engines.llamacpp.text import complaint, unless_silent


async def heard(*pieces: str) -> list[str]:
    async def written() -> AsyncGenerator[str, None]:
        for text in pieces:
            yield text

    return [text async for text in unless_silent(written())]


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
    assert await heard(*pieces) == told


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


def test_what_the_server_has_against_a_prompt_is_said() -> None:
    assert complaint('{"error":{"message":"too odd","type":"any"}}') == "too odd"
    assert complaint("<html>") == "the language model refused the prompt"
