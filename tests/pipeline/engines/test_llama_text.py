"""What llama.cpp's server writes, and how it is read."""

from collections.abc import AsyncGenerator

import pytest

from pipeline.engines.llama_text import Refused, complaint, piece, unless_silent


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


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n', "Hi"),
        (b'data: {"choices":[{"delta":{"content":null,"role":"assistant"}}]}\n', ""),
        (b'data: {"choices":[],"prompt_progress":{"total":9}}\n', ""),
        (b"data: [DONE]\n", ""),
        (b": keep alive\n", ""),
        (b"\n", ""),
    ],
)
def test_a_line_of_the_stream_is_read(line: bytes, text: str) -> None:
    assert piece(line) == text


@pytest.mark.parametrize("line", [b'error: {"error":{"message":"broke"}}\n', b'data: {"error":{"message":"broke"}}\n'])
def test_an_error_in_the_stream_is_raised(line: bytes) -> None:
    with pytest.raises(Refused, match="broke"):
        piece(line)


def test_a_prompt_that_is_too_long_is_said_to_be() -> None:
    body = '{"error":{"message":"m","type":"exceed_context_size_error","n_prompt_tokens":2030,"n_ctx":1024}}'
    assert complaint(body) == "the conversation is too long: 2030 tokens, 1024 fit"
    assert complaint("<html>") == "the language model refused the prompt"
