"""Calls are told from words, checked, and written again once when they are wrong."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from pipeline.engines.fake import FakeEngine
from pipeline.errors import EngineError, FunctionCallError
from pipeline.turns.function_calls import with_function_calls
from pipeline.types.chunks import ChatMessage, ChatPrompt, FinishReason, TextChunk, TokenUsage
from pipeline.types.function_tools import FunctionCall, FunctionTool, ToolOptions, WrittenCall

TOOL = FunctionTool("look", "", '{"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}')
RIGHT = '<tool_call>\n{"name": "look", "arguments": {"at": "me"}}\n</tool_call>'
WRONG = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
QUESTION = ChatPrompt((ChatMessage("user", "What is it?"),), "salt", tools=ToolOptions((TOOL,)))


def model(*answers: Sequence[Any] | str, finish: FinishReason = "stop") -> FakeEngine[ChatPrompt, Any]:
    """Writes one answer after the other; of text three characters at once."""
    left = list(answers)

    def script(chat: ChatPrompt) -> Any:
        answer = left.pop(0)
        pieces = [answer[at : at + 3] for at in range(0, len(answer), 3)] if isinstance(answer, str) else answer
        for number, piece in enumerate(pieces, 1):
            usage = TokenUsage(10, written=number)
            yield 0.1, TextChunk(piece, usage) if isinstance(piece, str) else piece
        yield 0.1, TextChunk("", TokenUsage(10, written=len(pieces)), finish)

    return FakeEngine(script)


async def told(
    engine: FakeEngine[ChatPrompt, Any], options: ToolOptions | None = None
) -> tuple[str, list[tuple[str, str]], TextChunk | None]:
    """All words, the calls, and the last chunk."""
    words, calls, last = "", list[tuple[str, str]](), None

    async def prompts() -> AsyncGenerator[ChatPrompt, None]:
        yield QUESTION

    async for chunk in with_function_calls(engine, "turn:aura", prompts(), options or QUESTION.tools, "aura"):
        if isinstance(chunk, FunctionCall):
            assert chunk.call_id.startswith("call_")
            calls.append((chunk.name, chunk.arguments))
        elif isinstance(chunk, TextChunk):
            words, last = words + chunk.text, chunk
    return words, calls, last


LOOK = ("look", '{"at": "me"}')


async def test_words_and_calls_come_in_order() -> None:
    engine = model(f"Wait. {RIGHT}\n{RIGHT}")
    words, calls, last = await told(engine)
    assert (words, calls) == ("Wait.", [LOOK, LOOK])
    assert last and (last.finish_reason, last.usage) == (
        "stop",
        TokenUsage(10, written=-(-len(f"Wait. {RIGHT}\n{RIGHT}") // 3)),
    )


async def test_a_wrong_call_is_told_to_the_model_and_to_nobody_else() -> None:
    engine = model(f"Wait. {WRONG} And more.", RIGHT)
    words, calls, last = await told(engine)
    assert (words, calls) == ("Wait.", [LOOK])
    first, second = engine.prompts
    assert second.messages[: len(first.messages)] == first.messages, "what was read stays read"
    said, fault = second.messages[len(first.messages) :]
    assert (said.text, [call.arguments for call in said.calls]) == ("Wait.", ["{}"])
    assert fault.text == "The arguments of look are wrong: 'at' is a required property"
    assert fault.call_id == said.calls[0].call_id
    assert engine.aborted == ["turn:aura"], "the first attempt ends where it is wrong"
    assert last and last.usage and last.usage.prompt == 20, "both are paid for"


async def test_a_model_that_calls_wrongly_twice_fails_the_answer() -> None:
    engine = model(f"Wait. {WRONG}", f"{WRONG} Well.")
    with pytest.raises(FunctionCallError, match="aura: The arguments of look are wrong") as failure:
        await told(engine)
    assert failure.value.code == "invalid_function_call"
    assert len(engine.prompts) == 2


async def test_the_second_attempt_may_answer_in_words() -> None:
    assert (await told(model(WRONG, "I cannot look.")))[:2] == ("I cannot look.", [])


async def test_a_wrong_call_behind_a_right_one_ends_the_answer() -> None:
    engine = model(f"{RIGHT}{WRONG}{RIGHT}")
    assert (await told(engine))[:2] == ("", [LOOK])
    assert len(engine.prompts) == 1


async def test_a_call_that_is_cut_off_is_none_and_not_written_again() -> None:
    words, calls, last = await told(model('Wait. <tool_call>\n{"name": "lo', finish="length"))
    assert (words, calls) == ("Wait.", [])
    assert last and last.finish_reason == "length"


async def test_no_more_than_one_call_where_no_two_are_wanted() -> None:
    engine = model(f"{RIGHT}{RIGHT} Done.")
    assert (await told(engine, ToolOptions((TOOL,), parallel=False)))[:2] == ("", [LOOK])
    assert engine.aborted == ["turn:aura"], "nothing more is written"


async def test_nothing_is_called_where_nothing_may_be() -> None:
    engine = model(f"Wait. {WRONG} Well.")
    assert (await told(engine, ToolOptions((TOOL,), "none")))[:2] == ("Wait. Well.", [])


async def test_a_required_call_comes_without_words() -> None:
    required = ToolOptions((TOOL,), "required")
    assert (await told(model(f"Wait. {RIGHT}"), required))[:2] == ("", [LOOK])
    engine = model("I will not.", RIGHT)
    assert (await told(engine, required))[:2] == ("", [LOOK])
    assert engine.prompts[1].messages[-1].text == "A function must be called."
    with pytest.raises(FunctionCallError):
        await told(model("I will not.", "Never."), required)


async def test_calls_of_an_engine_that_tells_them_itself_are_checked_too() -> None:
    calls = [WrittenCall("look", "{}", "{}")], [WrittenCall("look", '{"at": "me"}', "")]
    assert (await told(model(*calls)))[:2] == ("", [LOOK])


async def test_a_failure_is_the_engines() -> None:
    with pytest.raises(EngineError, match="aura: gone"):
        await told(FakeEngine(lambda chat: [(0.1, EngineError("aura", "gone"))]))
