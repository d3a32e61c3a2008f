"""The fake engine keeps to its script, to the millisecond."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TypeVar

import numpy as np
import pytest

from pipeline.engines.fake import CALLERS_READ, FakeEngine, hears, speaks, words_of, writes
from pipeline.errors import EngineError
from pipeline.types.chunks import AsrInput, AudioChunk, ChatMessage, ChatPrompt, Clause, TextChunk, TokenUsage

T = TypeVar("T")
HI = ChatPrompt((ChatMessage("user", "Hi"),), "salt")


async def once(*values: T) -> AsyncIterator[T]:
    for value in values:
        yield value


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_words_come_when_the_script_says() -> None:
    engine = writes("One two three.", first_s=0.5, word_s=0.1)
    told = [(round(now(), 6), chunk.text) async for chunk in engine.generate("r", once(HI))]
    assert told == [(0.5, "One"), (0.6, " two"), (0.7, " three.")]
    assert engine.prompts == [HI]


async def test_words_are_its_tokens_and_it_has_read_what_the_last_prompt_of_its_caller_began_with() -> None:
    engine = writes("One two")
    first, again = (
        HI,
        ChatPrompt((*HI.messages, ChatMessage("assistant", "One two"), ChatMessage("user", "And then?")), "salt"),
    )
    stranger = ChatPrompt(again.messages, "pepper")
    told = [chunk.usage async for chunk in engine.generate("r", once(first, again, stranger))]
    assert told == [
        TokenUsage(1, 0, 0, 1),
        TokenUsage(1, 0, 0, 2),
        TokenUsage(5, 0, 1, 1),
        TokenUsage(5, 0, 1, 2),
        TokenUsage(5, 0, 0, 1),
        TokenUsage(5, 0, 0, 2),
    ]


async def test_it_forgets_callers_who_have_not_asked_for_long() -> None:
    engine = writes("One")
    callers = [ChatPrompt(HI.messages, f"salt {number}") for number in range(CALLERS_READ)]
    stranger = ChatPrompt(HI.messages, "pepper")
    again = callers[0]  # asks once more, so that the second has not asked for the longest time
    told = [chunk.usage async for chunk in engine.generate("r", once(*callers, again, stranger, again, callers[1]))]
    assert [usage.cached for usage in told if usage][CALLERS_READ:] == [1, 0, 1, 0]


async def test_no_prompt_yields_nothing() -> None:
    assert [chunk async for chunk in writes("One").generate("r", once())] == []


async def test_a_prompt_without_tokens_only_warms() -> None:
    assert [chunk async for chunk in writes("One").generate("r", once(ChatPrompt((), "", 0)))] == []


async def test_an_error_of_the_script_is_raised_when_its_time_comes() -> None:
    engine: FakeEngine[str, TextChunk] = FakeEngine(
        lambda prompt: [(1.0, TextChunk("One")), (2.0, EngineError("aura", "broke"))]
    )
    with pytest.raises(EngineError, match="broke"):
        async for _ in engine.generate("r", once("p")):
            pass
    assert now() == 3.0
    assert (engine.running, engine.aborted) == ([], [])


async def test_closing_aborts_and_waits_for_the_fence() -> None:
    engine = FakeEngine(writes("One two").script, abort_s=0.3)
    async with aclosing(engine.generate("r", once(HI))) as chunks:
        assert await anext(chunks) == TextChunk("One")
        assert await engine.busy() == 1
    assert (now(), await engine.busy(), engine.aborted) == (0.3, 0, ["r"])


async def test_a_recogniser_reads_its_lines_and_repeats_the_last() -> None:
    window = AsrInput(np.zeros(16_000, np.float32), None, True)
    engine = hears("one", "one two", pass_s=0.4)
    texts = [each.text async for each in engine.generate("r", once(window, window, window))]
    assert texts == ["one", "one two", "one two"]
    assert round(now(), 6) == 1.2


async def test_a_voice_speaks_a_tone_for_each_word() -> None:
    (audio,) = [each async for each in speaks(ms_per_word=100).generate("r", once(Clause(" Two words.", "")))]
    assert audio.duration_ms == 200
    assert audio == AudioChunk(audio.pcm, " Two words.")


def test_words_concatenate_to_their_text() -> None:
    assert words_of("  One two \n") == ["  One", " two", " \n"]
