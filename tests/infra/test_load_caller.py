"""A caller of a load test on a server that also speaks of its own accord."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from infra.bench.load_caller import LoadCaller, Served
from infra.bench.script import Ask
from pipeline.realtime.client import Event, Pipeline

pytestmark = pytest.mark.anyio

SECOND = bytes(48_000)


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
                self._events.put_nowait({"type": "response.output_text.delta", "response_id": "unasked"})
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
    caller = LoadCaller(cast(Pipeline, server), [SECOND], served.append)
    await caller.call([Ask(0, 0.1)], {}, began=0.0)
    assert server.told == ["session.update", "response.cancel", "input_audio_buffer.commit", "response.create"]
    assert [(each.status, each.first_text, each.errors) for each in served] == [("completed", None, ())]
