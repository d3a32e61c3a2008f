"""Whoever has a call, in a test: keeps what is published, and when."""

import asyncio


class Notes:
    """The notes are what a call has published.

    Attributes:
        shown: Each publication, with its second.
        troubles: With the line to the pipeline.
        frames: So many pictures were taken.
    """

    def __init__(self, refuses: str = "") -> None:
        self.shown: list[tuple[float, dict[str, str]]] = []
        self.troubles: list[str] = []
        self.frames = 0
        self._refuses = refuses

    async def publish(self, attributes: dict[str, str]) -> None:
        if self._refuses and self._refuses in attributes:
            raise ConnectionError("no room")
        self.shown.append((asyncio.get_running_loop().time(), attributes))

    def on_trouble(self, text: str) -> None:
        self.troubles.append(text)

    def on_frame(self) -> None:
        self.frames += 1

    def of(self, name: str) -> list[tuple[float, str]]:
        """All values of one attribute."""
        return [(at, attributes[name]) for at, attributes in self.shown if name in attributes]
