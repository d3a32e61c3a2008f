"""What a test has seen so far, with times: waits for more of it, and tells all of it when that does not come."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LAST = 60  # lines that a failure shows


class Diary:
    """A chronicle of one observer. Whatever an observer notes wakes those who wait."""

    def __init__(self, whose: str) -> None:
        self._whose = whose
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self._lines: list[str] = []
        self._noted = asyncio.Event()

    def note(self, what: str) -> None:
        self._lines.append(f"{self._clock() - self._began:8.2f}  {what}")
        self._noted.set()

    def wake(self) -> None:
        """Something has moved that is not worth a line."""
        self._noted.set()

    async def until(self, seen: Callable[[], T], within_s: float, wanted: str) -> T:
        """Return what `seen()` gives as soon as that is true; it is asked again whenever something was seen.

        Raises:
            AssertionError: It stayed false; says what was wanted, and what was seen instead.
        """
        try:
            async with asyncio.timeout(within_s):
                while not (found := seen()):
                    self._noted.clear()
                    await self._noted.wait()
        except TimeoutError:
            raise AssertionError(f"{self._whose}: {wanted}: not within {within_s:g} s\n{self}") from None
        return found

    def __str__(self) -> str:
        return "\n".join(self._lines[-LAST:]) or "  (nothing was seen)"
