"""This module records the sound of a call: left the person, right what was heard of the agent, both on one clock."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

import numpy as np
from livekit import rtc

from agent.records.channel import Channel, Pcm
from agent.records.ogg_file import RATE, SoundFile

T = TypeVar("T")
# Runs a call that takes a while elsewhere than on the event loop, as `asyncio.to_thread` does.
Offload = Callable[..., Coroutine[Any, Any, Any]]

WRITE_S = 1.0  # between two blocks
SETTLED_S = 0.5  # after which no sound of the person comes any more for a moment
RESYNC_S = 0.2  # between where a frame belongs and the end of the one before it: less is how frames arrive
LONGEST_RUN_S = 60.0  # of what is heard of the agent, kept until it is known how much of it was
MOST_HELD_S = 300.0  # of a channel; more comes together only where nothing can be written


class OpenRun(Protocol):
    """What the agent says now: how much of it was heard is known when it ends, or is paused."""

    @property
    def since(self) -> float | None:
        """When what is not told yet began to be heard, on the loop's clock; None: nothing is heard."""
        ...

    def settle(self) -> None:
        """Tell of what was heard until now, as if nothing had paused it."""
        ...


async def finished(work: Coroutine[Any, Any, T]) -> T:
    """Return what the work returns. Who is cancelled meanwhile waits for its end: a thread cannot be stopped."""
    task = asyncio.get_running_loop().create_task(work, name="record:offload")
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


class Silent:
    """Nothing is said."""

    since: float | None = None

    def settle(self) -> None:
        """There is nothing to tell."""


class RecordingTooSlow(OSError):
    """What is heard cannot be written as fast as it comes."""


class SoundRecorder:
    """Writes both channels as they are heard.

    Args:
        file: Belongs to the recorder from now on.
        began: When the record's first sample was, on the loop's clock.
        offload: Runs what writes.
    """

    def __init__(self, file: SoundFile, began: float, *, offload: Offload = asyncio.to_thread) -> None:
        self._file, self._began, self._offload = file, began, offload
        self._person, self._agent = Channel(), Channel()
        self._written = 0
        self.run: OpenRun = Silent()

    @property
    def samples(self) -> int:
        """How many were written, of each channel."""
        return self._written

    @property
    def lost(self) -> int:
        """How many came when their place was written already."""
        return self._person.lost + self._agent.lost

    def hear(self, frame: rtc.AudioFrame) -> None:
        """Take a frame of the person that has arrived just now."""
        pcm = _mono(frame)
        position = self._position(self._now()) - pcm.size
        end = self._person.end
        self._lay(self._person, end if abs(position - end) <= RESYNC_S * RATE else max(position, end), pcm)

    def play(self, began: float, pcm: Pcm) -> int:
        """Take what was heard of the agent from that moment on; returns the position of its first sample."""
        position = max(self._position(began), self._agent.end)
        self._lay(self._agent, position, pcm)
        return position

    async def write(self) -> None:
        """Write all of which is known where it belongs.

        Raises:
            OSError: It cannot be written.
        """
        now = self._now()
        if self.run.since is not None and now - self.run.since > LONGEST_RUN_S:
            self.run.settle()
        until = now - SETTLED_S if self.run.since is None else min(now - SETTLED_S, self.run.since)
        await self._write(self._position(until))

    async def close(self) -> None:
        """Write all that was heard, and end the file.

        Raises:
            OSError: It cannot be written.
        """
        try:
            self.run.settle()
            await self._write(self._position(self._now()))
        finally:
            await finished(self._offload(self._file.close))

    async def _write(self, until: int) -> None:
        """Write blocks of bounded length."""
        if max(self._person.held, self._agent.held) > MOST_HELD_S * RATE:
            raise RecordingTooSlow(f"more than {MOST_HELD_S:g} s wait to be written")
        while self._written < until:
            end = min(until, self._written + round(WRITE_S * RATE))
            block = np.stack([self._person.take(end), self._agent.take(end)])
            self._written = end
            await finished(self._offload(self._file.write, block))

    def _lay(self, channel: Channel, position: int, pcm: Pcm) -> None:
        if channel.held <= MOST_HELD_S * RATE:  # else `write` says so
            channel.lay(position, pcm)

    def _position(self, at: float) -> int:
        return max(0, round((at - self._began) * RATE))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _mono(frame: rtc.AudioFrame) -> Pcm:
    """The samples of a frame, which a call has at `RATE` and mono."""
    if frame.sample_rate != RATE or frame.num_channels != 1:
        raise ValueError(f"a frame of {frame.sample_rate} Hz and {frame.num_channels} channels")
    return np.frombuffer(bytes(frame.data), np.int16)
