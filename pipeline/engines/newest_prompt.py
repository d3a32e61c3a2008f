"""Looks one prompt ahead, so that an engine sees what comes while it computes."""

from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from pipeline.aio.signal import Signal

P = TypeVar("P")


class NewestPrompt(Generic[P]):
    """Follows a stream of prompts and keeps only the newest that nobody has taken.

    Attributes:
        next: The prompt that has come and not been taken.
        changed: Fires when one has come, or none will.
    """

    def __init__(self, prompts: AsyncIterator[P]) -> None:
        self._prompts = prompts
        self._over = False
        self.next: P | None = None
        self.changed = Signal()

    async def follow(self) -> None:
        """Holds each until it is taken, and only then asks for another."""
        try:
            async for prompt in self._prompts:
                self.next = prompt
                self.changed.fire()
                while self.next is not None:
                    await self.changed.wait()
        finally:
            self._over = True
            self.changed.fire()

    async def take(self) -> P | None:
        """The next prompt; None when there are no more."""
        while self.next is None:
            if self._over:
                return None
            await self.changed.wait()
        prompt, self.next = self.next, None
        self.changed.fire()
        return prompt
