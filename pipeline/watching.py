"""From a camera's frames to rounds: a second each, of two frames."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from itertools import count

from pipeline.clips import Clip, Pixels, decoded, second
from pipeline.errors import RequestError
from pipeline.signal import Signal

log = logging.getLogger(__name__)

HALF_MS = 500  # between the two frames of a second
LATE_MS = 2_000  # a frame that is older than the newest by more begins a new clock
WAITING = 4  # frames that may wait to be looked at; of more the oldest go
ROUND_S = 1.0  # after which a round closes, even if its second frame has not come

Pair = tuple[Pixels, Pixels | None]


class Seconds:
    """Puts frames into seconds. Pure: what closes comes out.

    A second has room for one frame in each half, give or take a quarter. A frame is dropped if its half has one,
    or if a later one has come.
    """

    def __init__(self) -> None:
        self._began_ms: float | None = None
        self._newest = -1  # half second
        self._open: Pixels | None = None

    @property
    def is_open(self) -> bool:
        return self._open is not None

    def feed(self, frame: Pixels, at_ms: float) -> Iterator[Pair]:
        if self._began_ms is not None and at_ms < self._began_ms + self._newest * HALF_MS - LATE_MS:
            yield from self.finish()
        if self._began_ms is None:
            self._began_ms = at_ms
        half = round((at_ms - self._began_ms) / HALF_MS)
        if half <= self._newest:
            return
        goes_on = half % 2 and half == self._newest + 1 and self._open is not None
        if self._open is not None:
            yield self._open, frame if goes_on else None
            self._open = None
        if not goes_on:
            self._open = frame
            self._began_ms += half % 2 * HALF_MS  # the second begins with its first frame
            half -= half % 2
        self._newest = half

    def finish(self) -> Iterator[Pair]:
        """The second closes as it is; the next frame begins another."""
        if self._open is not None:
            yield self._open, None
        self._began_ms, self._newest, self._open = None, -1, None


async def in_thread(data: bytes) -> Pixels:
    return await asyncio.to_thread(decoded, data)


class Watching:
    """One caller's camera.

    Args:
        name: Of the caller, for the names of what is seen.
        seen: Takes each second as it closes.
        look: Makes pixels of a picture in a file's form, off the event loop.
    """

    def __init__(
        self,
        name: str,
        seen: Callable[[Clip], None],
        look: Callable[[bytes], Awaitable[Pixels]] = in_thread,
    ) -> None:
        self._name = name
        self._seen = seen
        self._look = look
        self._waiting: deque[tuple[bytes, float]] = deque(maxlen=WAITING)
        self._changed = Signal()
        self._seconds = Seconds()
        self._closes_at: float | None = None
        self._numbers = count()

    def see(self, data: bytes, at_ms: float | None = None) -> None:
        """A frame has come, in a file's form.

        Args:
            at_ms: When it was taken, by any clock; by default now.
        """
        self._waiting.append((data, _now() * 1_000 if at_ms is None else at_ms))
        self._changed.fire()

    def close(self) -> None:
        """The second that is open closes now."""
        self._tell(self._seconds.finish())

    async def watch(self) -> None:
        """Look at all that comes, one after the other; never returns."""
        while True:
            data, at_ms = await self._next()
            try:
                frame = await self._look(data)
            except RequestError as error:
                log.warning("a frame cannot be seen: %s", error.message)
                continue
            self._tell(self._seconds.feed(frame, at_ms))
            if self._seconds.is_open and self._closes_at is None:
                self._closes_at = _now() + ROUND_S

    async def _next(self) -> tuple[bytes, float]:
        while not self._waiting:
            try:
                async with asyncio.timeout_at(self._closes_at):
                    await self._changed.wait()
            except TimeoutError:
                self.close()
        return self._waiting.popleft()

    def _tell(self, pairs: Iterator[Pair]) -> None:
        for first, then in pairs:
            self._closes_at = None
            self._seen(second(f"{self._name}.{next(self._numbers)}", first, then))
        if not self._seconds.is_open:
            self._closes_at = None


def _now() -> float:
    return asyncio.get_running_loop().time()
