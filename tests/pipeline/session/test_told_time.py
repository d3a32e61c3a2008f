"""The time of a question: that of the clock of the running pipeline, whether it is spoken or written."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

from pipeline.session.session import Session
from pipeline.turns.stage import Stage
from pipeline.types.chunks import ChatPrompt
from pipeline.types.history import Item
from pipeline.types.local_time import local_time
from pipeline.types.turn_request import TurnRequest
from tests.scenario import AURA, INFLIGHT, TTS, Caller, Line, Loudness, Told, to_chat, to_sentences

AT = datetime(2026, 6, 2, 16, 5, tzinfo=UTC)


async def test_a_question_is_asked_at_the_time_of_the_pipelines_clock() -> None:
    asked_at: list[datetime | None] = []

    async def noting(inbox: AsyncIterator[TurnRequest], request: TurnRequest) -> AsyncGenerator[ChatPrompt, None]:
        if request.response_options.max_tokens is None:  # it is to be answered, not only prefilled
            asked_at.append(request.asked_at)
        async for prompt in to_chat(inbox, request):
            yield prompt

    line = Line()
    chain = (Stage(AURA, line.aura, noting, INFLIGHT), Stage(TTS, line.tts, to_sentences))
    stages = replace(line.stages(), chain=chain, clock=lambda: AT)
    told = Told()
    async with Session("s", stages, Loudness(), told) as session:
        caller = Caller(session, told.events)
        await caller.says(1.0)
        await caller.is_silent(1.0)
        session.commit()
        session.respond()
        await caller.is_silent(5.0)
        spoken = len(asked_at)
        session.write(Item("w", "user", "What time is it?"))
        session.respond()
        await caller.is_silent(5.0)
    assert spoken and len(asked_at) > spoken
    assert set(asked_at) == {AT}


def test_the_clock_of_this_machine_knows_its_time_zone() -> None:
    assert local_time().utcoffset() is not None
