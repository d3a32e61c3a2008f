"""A caller of a load test on servers that speak of their own accord, too late, or what cannot be read."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from infra.bench.load.answer import Served
from infra.bench.load.caller import ANSWER_S, LoadCaller
from infra.bench.load.events import UnreadableServerEvent
from infra.bench.load.script import Ask
from pipeline.realtime.client import Event, RealtimeClient
from tests.virtual_time import VirtualTimeLoop

pytestmark = pytest.mark.anyio

SECOND = bytes(48_000)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualTimeLoop}


class Talkative:
    """It speaks at once, until it is cancelled; and to each question."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._events = asyncio.Queue[Event]()

    async def send(self, event: Event) -> None:
        if event["type"] != "input_audio_buffer.append":
            self.told.append(event["type"])
        match event["type"]:
            case "session.update":
                self._say("response.created", "unasked")
                self._events.put_nowait({"type": "response.output_text.delta", "response_id": "unasked", "delta": "Oh"})
            case "response.cancel":
                self._say("response.done", "unasked", status="cancelled")
            case "response.create" if "response.cancel" not in self.told:
                self._events.put_nowait(
                    {"type": "error", "error": {"code": "conversation_already_has_active_response"}}
                )
                self._say("response.done", "unasked", status="completed")
            case "response.create":
                self._say("response.created", "asked")
                self._say("response.done", "asked", status="completed")

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            yield await self._events.get()

    def _say(self, kind: str, response: str, **more: Any) -> None:
        self._events.put_nowait({"type": kind, "response": {"id": response, **more}})


async def test_what_the_server_says_unasked_is_ended_by_the_question_and_taken_for_no_answer() -> None:
    server, served = Talkative(), list[Served]()
    caller = LoadCaller(cast(RealtimeClient, server), [SECOND], served.append)
    await caller.call([Ask(0, 0.1)], {}, began=0.0)
    assert server.told == ["session.update", "response.cancel", "input_audio_buffer.commit", "response.create"]
    assert [(each.status, each.first_text, each.errors) for each in served] == [("completed", None, ())]


class Slow:
    """It says whose question it answers, and is deaf to a cancel.

    Args:
        answers: When each begins and when it sounds and ends, in seconds from its question.
    """

    def __init__(self, *answers: tuple[float, float]) -> None:
        self.cancelled: list[float] = []
        self._answers = iter(answers)
        self._events = asyncio.Queue[Event]()

    async def send(self, event: Event) -> None:
        loop = asyncio.get_running_loop()
        if event["type"] == "response.cancel":
            self.cancelled.append(loop.time())
        elif event["type"] == "response.create":
            begins_s, ends_s = next(self._answers)
            metadata = event["response"]["metadata"]
            name = f"of {metadata['question']}"
            created = {"type": "response.created", "response": {"id": name, "metadata": metadata}}
            sound = {"type": "response.output_audio.delta", "response_id": name, "delta": "A" * 64_000}
            done = {"type": "response.done", "response": {"id": name, "status": "completed", "metadata": metadata}}
            loop.call_later(begins_s, self._events.put_nowait, created)
            loop.call_later(ends_s, self._events.put_nowait, sound)
            loop.call_later(ends_s, self._events.put_nowait, done)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            yield await self._events.get()


@pytest.mark.parametrize(
    ("late", "in_time"),
    [
        ((0.0, ANSWER_S + 4), (0.0, 1.0)),
        ((ANSWER_S + 4, ANSWER_S + 5), (6.0, 7.0)),
    ],
)
async def test_an_answer_that_comes_too_late_is_lost_and_taken_for_no_other_questions(
    late: tuple[float, float], in_time: tuple[float, float]
) -> None:
    server, served = Slow(late, in_time), list[Served]()
    caller = LoadCaller(cast(RealtimeClient, server), [SECOND], served.append)
    await caller.call([Ask(0, 1.0)] * 2, {}, began=0.0)
    first, second = served
    assert (first.turn, first.status, first.done, first.audio_s) == (1, "lost", None, 0.0)
    assert server.cancelled[0] == pytest.approx(first.at + ANSWER_S)
    assert (second.turn, second.status, second.audio_s, second.errors) == (2, "completed", 1.0, ())
    assert second.first_audio == second.done == pytest.approx(in_time[1])


class Odd:
    """Answers each question with an event that cannot be read."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._events = asyncio.Queue[Event]()

    async def send(self, event: Event) -> None:
        if event["type"] == "response.create":
            self._events.put_nowait(self._event)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            yield await self._events.get()


@pytest.mark.parametrize("event", [{}, {"type": "error", "error": None}, {"type": "response.done", "response": None}])
async def test_an_event_that_cannot_be_read_breaks_off_the_call_and_keeps_what_was_asked(event: Event) -> None:
    served = list[Served]()
    caller = LoadCaller(cast(RealtimeClient, Odd(event)), [SECOND], served.append)
    with pytest.RaisesGroup(UnreadableServerEvent):
        await caller.call([Ask(0, 0.1)] * 2, {}, began=0.0)
    assert [(each.turn, each.status) for each in served] == [(1, "lost")]
