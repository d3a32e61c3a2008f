"""This module says what was asked of the pipeline, and has no answer yet."""

import asyncio
from dataclasses import dataclass

from livekit.agents import llm

from agent.telemetry.request_spans import RequestSpan
from pipeline.realtime.client import Event


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request is a `response.create` whose answer has not begun.

    Attributes:
        future: Takes the answer when it begins.
        asked_at: When somebody asked, on the loop's clock; None: nobody waits.
        deadline: Gives it up.
        offer_id: It accepts that offer; empty: none.
        unasked: LiveKit has not asked for it: it is told of it as of what begins by itself.
        again: It has been sent twice.
    """

    event: Event
    future: "asyncio.Future[llm.GenerationCreatedEvent]"
    asked_at: float | None
    deadline: asyncio.TimerHandle
    span: RequestSpan
    offer_id: str = ""
    unasked: bool = False
    again: bool = False

    @property
    def of_tools(self) -> bool:
        """It answers what functions returned."""
        return self.unasked and not self.offer_id

    @property
    def out_of_band(self) -> bool:
        """The conversation does not keep its answer."""
        return bool(self.event["response"].get("conversation") == "none")
