"""One stage of a turn: what it reads, hands on and lets out, and how it stops."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace

import numpy as np
import pytest

from pipeline.engines.fake import FakeEngine, writes
from pipeline.errors import EngineError
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stage import Stage
from pipeline.turns.stream import Fork, Stream
from pipeline.turns.turn import once
from pipeline.types.chunks import CODEBOOKS, ChatMessage, ChatPrompt, CodecChunk, TextChunk, TurnId
from pipeline.types.history import History, Item
from pipeline.types.turn_request import TurnRequest
from tests.scenario import AURA, to_chat
from tests.tidy import nothing_left

TURN = TurnId("s", 3)
HI = TurnRequest(History((Item("q", "user", "Hi"),)))


async def test_what_is_asked_becomes_a_prompt_and_the_chunks_are_handed_on() -> None:
    engine, outbox = writes("One two."), Stream[TextChunk](8)
    await Stage(AURA, engine, to_chat).run(TURN, HI, [once(HI)], outbox, SpeculativeOutput(0))
    assert engine.prompts == [ChatPrompt((ChatMessage("user", "Hi"),), "", 200)]
    assert [chunk async for chunk in outbox] == [TextChunk("One"), TextChunk(" two.")]


async def test_it_is_told_when_its_first_prompt_comes() -> None:
    output = SpeculativeOutput(0)

    async def late(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
        for _ in range(2):
            await asyncio.sleep(1)
            async for chat in to_chat(once(request), request):
                yield chat

    await Stage(AURA, writes("Word."), late).run(TURN, HI, [once(HI)], Fork([]), output)
    assert output.began == {"aura": 1.0}


async def test_it_is_told_when_a_stage_between_two_others_has_made_something() -> None:
    output, empty = SpeculativeOutput(0), CodecChunk(np.zeros((0, CODEBOOKS), np.int16), "Hm")
    frame = CodecChunk(np.zeros((1, CODEBOOKS), np.int16))
    talker: FakeEngine[ChatPrompt, CodecChunk] = FakeEngine(lambda _: [(1.0, empty), (1.0, frame), (1.0, frame)])
    inner = replace(AURA, engine_output_type="latent", final_output=False, final_output_type=None)
    await Stage(inner, talker, to_chat).run(TURN, HI, [once(HI)], Stream[CodecChunk](8), output)
    assert output.made == {"aura": 2.0}
    await Stage(AURA, writes("Word."), to_chat).run(TURN, HI, [once(HI)], Fork([]), final := SpeculativeOutput(0))
    assert final.made == {}
    output.discard()
    assert output.made == {}


async def test_only_final_output_leaves_the_pipeline() -> None:
    output = SpeculativeOutput(0)
    inner = replace(AURA, final_output=False, final_output_type=None)
    async with output:
        await Stage(inner, writes("Inner."), to_chat).run(TURN, HI, [once(HI)], Fork([]), output)
        await Stage(AURA, writes("Final."), to_chat).run(TURN, HI, [once(HI)], Fork([]), output)
        output.commit()
    assert [word async for word in output.words()] == [TextChunk("Final.")]


async def test_the_request_carries_turn_and_stage() -> None:
    engine = writes("word " * 100, word_s=1.0)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(
            Stage(AURA, engine, to_chat).run(TURN, HI, [once(HI)], Fork([]), SpeculativeOutput(0))
        )
        await asyncio.sleep(5)
        assert engine.running == ["s.3:aura"]
        running.cancel()


async def test_an_engine_that_is_ahead_of_the_next_stage_is_held_back() -> None:
    taken: list[float] = []

    async def write(request_id: str) -> AsyncGenerator[TextChunk, None]:
        for _ in range(6):
            taken.append(asyncio.get_running_loop().time())
            yield TextChunk("word ")

    outbox = Stream[TextChunk](2)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(
            Stage(AURA, Answering(write), to_chat).run(TURN, HI, [once(HI)], outbox, SpeculativeOutput(0))
        )
        await asyncio.sleep(1)
        async for _ in outbox:
            await asyncio.sleep(1)
    assert taken == [0.0, 0.0, 0.0, 1.0, 2.0, 3.0], "two wait in the link, a third to be sent"


async def test_a_failing_engine_raises_and_leaves_the_outbox_open() -> None:
    engine: FakeEngine[ChatPrompt, TextChunk] = FakeEngine(
        lambda chat: [(0.1, TextChunk("Half")), (0.1, EngineError("aura", "broken"))]
    )
    outbox = Stream[TextChunk](8)
    with nothing_left(), pytest.raises(EngineError, match="aura: broken"):
        await Stage(AURA, engine, to_chat).run(TURN, HI, [once(HI)], outbox, SpeculativeOutput(0))
    assert await anext(outbox) == TextChunk("Half")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60):
            await anext(outbox)


async def test_a_stage_that_ends_leaves_its_inbox_so_that_the_writer_goes_on() -> None:
    async def nothing(request_id: str) -> AsyncGenerator[TextChunk, None]:
        return
        yield

    inbox = Stream[TurnRequest](1)
    await Stage(AURA, Answering(nothing, reads=False), to_chat).run(TURN, HI, [inbox], Fork([]), SpeculativeOutput(0))
    for _ in range(3):
        await inbox.send(HI)


async def test_cancelling_closes_engine_prompts_and_inbox_in_this_order() -> None:
    closed: list[str] = []

    async def asking() -> AsyncGenerator[TurnRequest, None]:
        try:
            yield HI
            await asyncio.sleep(60)
        finally:
            closed.append("inbox")

    async def prompting(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
        try:
            async for _ in inbox:
                yield ChatPrompt((), "")
        finally:
            closed.append("prompts")

    async def write(request_id: str) -> AsyncGenerator[TextChunk, None]:
        try:
            yield TextChunk("One")
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.5)
            closed.append("engine")

    with nothing_left():
        async with asyncio.TaskGroup() as tasks:
            stage = Stage(AURA, Answering(write), prompting)
            running = tasks.create_task(stage.run(TURN, HI, [asking()], Fork([]), SpeculativeOutput(0)))
            await asyncio.sleep(1)
            running.cancel()
    assert closed == ["engine", "prompts", "inbox"]
    assert asyncio.get_running_loop().time() == 1.5


class Answering:
    """An engine that answers each prompt with a generator of the test."""

    def __init__(self, answer: Callable[[str], AsyncGenerator[TextChunk, None]], reads: bool = True) -> None:
        self._answer = answer
        self._reads = reads

    async def generate(self, request_id: str, prompts: AsyncIterator[ChatPrompt]) -> AsyncGenerator[TextChunk, None]:
        if self._reads:
            await anext(prompts)
        async with aclosing(self._answer(request_id)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def busy(self) -> int:
        return 0

    async def aclose(self) -> None: ...
