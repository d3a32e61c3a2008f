"""Requests for answers: each is answered, refused or given up once, in whatever order that becomes known."""

import asyncio
from typing import Any

import pytest
from livekit.agents import llm

from agent.livekit.responses.generation import ResponseGeneration
from agent.livekit.responses.pending_responses import PendingResponses
from pipeline.realtime.client import Event

pytestmark = pytest.mark.anyio


class Pipeline:
    """Takes commands, which leave at once."""

    def __init__(self) -> None:
        self.sent: list[Event] = []

    def send(self, event: Event) -> None:
        self.sent.append(event)

    def withdraw(self, event_id: str) -> bool:
        return False


class Owner:
    """Is told, and does nothing."""

    def on_unasked(self, generation: llm.GenerationCreatedEvent) -> None: ...

    def on_unheard(self, item_id: str) -> None: ...

    def on_call(self, call: llm.FunctionCall, answer: ResponseGeneration) -> None: ...

    def on_unanswered(self, reason: str, owed: bool, code: str = "refused") -> None: ...

    def on_offer_refused(self, offer_id: str) -> None: ...


def created(asked: Event, response_id: str) -> dict[str, Any]:
    return {"type": "response.created", "response": {"id": response_id, "metadata": asked["response"]["metadata"]}}


async def test_an_answer_that_begins_in_the_moment_in_which_it_is_given_up_is_stopped() -> None:
    pipeline = Pipeline()
    responses = PendingResponses(pipeline, Owner())
    responses.ask({}).cancel()
    responses.feed(created(pipeline.sent[0], "resp_1"))
    await asyncio.sleep(0)
    assert [event["type"] for event in pipeline.sent] == ["response.create", "response.cancel"]
    assert not responses.busy
