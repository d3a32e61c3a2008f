"""This module says who is told what comes of answers, and of requests for them."""

from typing import Protocol

from livekit.agents import llm

from agent.livekit.responses.generation import ResponseGeneration


class ResponseObserver(Protocol):
    """The observer is told of answers without a request, and of requests without an answer."""

    def on_unasked(self, generation: llm.GenerationCreatedEvent) -> None:
        """The pipeline has begun an answer that nobody asked for."""
        ...

    def on_unheard(self, item_id: str) -> None:
        """An item has joined the conversation of which nothing was heard."""
        ...

    def on_call(self, call: llm.FunctionCall, answer: ResponseGeneration) -> None:
        """An answer calls a function."""
        ...

    def on_unanswered(self, reason: str, owed: bool, code: str = "refused") -> None:
        """A request came to nothing on a line that is up; `owed`: somebody waits for its answer; `code`: why."""
        ...

    def on_offer_refused(self, offer_id: str) -> None:
        """An offer was accepted, and will not be said."""
        ...
