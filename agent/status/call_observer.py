"""This module says who is shown a call."""

from typing import Protocol

from agent.status.attributes import AttributeSink


class CallObserver(AttributeSink, Protocol):
    """The observer has a call: it shows what the call publishes, and is told how the line to the pipeline is."""

    def on_trouble(self, text: str) -> None:
        """Something is wrong with the line, in words for the person; empty: nothing is any more."""
        ...

    def on_frame(self) -> None:
        """A picture of the camera or the screen was taken for a pipeline that looks at it."""
        ...
