"""Whoever is told what happens in a session."""

from typing import Protocol

from pipeline.types.events.input_events import InputEvent
from pipeline.types.events.response_events import ResponseEvent

SessionEvent = InputEvent | ResponseEvent


class EventSink(Protocol):
    """Is told all that happens in a session, in the order in which it does."""

    def emit(self, event: SessionEvent) -> None: ...
