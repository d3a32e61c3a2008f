"""Reads prompts while an engine computes, so that it finds all that came meanwhile."""

from collections import deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from pipeline.aio.signal import Signal

P = TypeVar("P")


class PromptQueue(Generic[P]):
    """Holds prompts that have come and not been taken, in order, up to a bound.

    Args:
        most: Prompts that may have come and not been taken.
    """

    def __init__(self, prompts: AsyncIterator[P], most: int) -> None:
        self._prompts = prompts
        self._most = most
        self._come: deque[P] = deque()
        self._over = False
        self._error: Exception | None = None
        self._changed = Signal()

    @property
    def waits(self) -> bool:
        """The next one can be taken at once."""
        return bool(self._come)

    async def follow(self) -> None:
        """Takes prompts in as they come; runs beside whoever takes them out."""
        try:
            async for prompt in self._prompts:
                self._come.append(prompt)
                self._changed.fire()
                while len(self._come) >= self._most:
                    await self._changed.wait()
        except Exception as error:  # whoever takes them is told
            self._error = error
        finally:
            self._over = True
            self._changed.fire()

    async def take(self) -> P | None:
        """The next prompt; None when there are no more.

        Raises:
            Exception: What making them failed with, behind all that had come before.
        """
        while not self._come:
            if self._error:
                raise self._error
            if self._over:
                return None
            await self._changed.wait()
        prompt = self._come.popleft()
        self._changed.fire()
        return prompt
