"""A question in two halves of which the earlier one is heard out last."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import pytest

from pipeline.engines.fake import FakeEngine, Step, writes
from pipeline.types.chunks import AsrInput, ChatPrompt, Transcript
from pipeline.types.events.input_events import TranscriptionCompleted
from pipeline.types.events.response_events import ResponseDone
from pipeline.types.session_options import Endpointing, SessionOptions, TurnDetectionOptions
from tests.scenario import Caller, Line
from tests.tidy import nothing_left

SERVER_VAD = SessionOptions(detection=TurnDetectionOptions(Endpointing(end_ms=512)))
TABLE, TOMORROW = "Book a table in Paris for nine people", "tomorrow please."
SLOW_S = 3.0


def line(slow_s: float = SLOW_S) -> Line:
    """A recogniser that takes long over the first half, and a writer that takes its time over every answer."""
    passes = iter([(slow_s, TABLE), (0.1, TOMORROW)])

    def script(window: AsrInput) -> Iterable[Step[Transcript]]:
        pass_s, text = next(passes)
        yield pass_s, Transcript(text, window.audio_end_ms, window.settles)

    return Line(FakeEngine(script), writes("Done.", first_s=1.0))


def asked(chat: ChatPrompt) -> list[str]:
    return [message.text for message in chat.messages if message.role == "user"]


async def by_themselves(caller: Caller) -> None:
    caller.session.configure(SERVER_VAD)
    await caller.says(1.0)
    await caller.is_silent(0.6)
    await caller.says(0.5)
    await caller.is_silent(0.6)


async def on_request(caller: Caller) -> None:
    await caller.says(1.0)
    caller.session.commit()
    await caller.says(0.5)
    await caller.is_silent(0.5)
    caller.session.commit()
    caller.session.respond()


@pytest.mark.parametrize("ask", [by_themselves, on_request])
async def test_both_halves_are_answered(ask: Callable[[Caller], Awaitable[None]]) -> None:
    spoken = line()
    with nothing_left():
        async with spoken.call() as caller:
            await ask(caller)
            await asyncio.sleep(10)
            heard = [each.text for each in caller.all(TranscriptionCompleted)]
    assert heard == [TOMORROW, TABLE], "the later half first"
    assert asked(spoken.questions[-1]) == [TABLE, TOMORROW]
    assert (caller.answer().status, caller.heard_text()) == ("completed", "Done.")


async def test_what_was_prepared_for_the_later_half_alone_is_dropped() -> None:
    spoken = line()
    async with spoken.call() as caller:
        await on_request(caller)
        prepared = spoken.aura.running[:]
        assert len(prepared) == 1
        await asyncio.sleep(0.5)
        assert (spoken.aura.aborted, spoken.aura.running) == (prepared, [])
        await asyncio.sleep(10)
    assert len(spoken.questions) == 2 and len(caller.all(ResponseDone)) == 1


async def test_what_was_prepared_is_kept_where_the_earlier_half_is_heard_out_before() -> None:
    spoken = line(slow_s=0.5)
    async with spoken.call() as caller:
        await on_request(caller)
        await asyncio.sleep(10)
    assert asked(spoken.questions[-1]) == [TABLE, TOMORROW]
    assert len(spoken.questions) == 1 and spoken.aura.aborted == []
