"""This module hears what goes in and out of LiveKit's session, and leaves it as it is."""

import asyncio
import time
from typing import Protocol

import numpy as np
from livekit import rtc
from livekit.agents.voice import io

from agent.records.channel import Pcm
from agent.records.ogg_file import RATE

WIDTH = 2  # bytes of a sample
MOST_SEGMENT_S = 600.0  # of what was given to be said and not heard yet; of more nothing is recorded


class Recorder(Protocol):
    """The recorder is told what is heard."""

    def hear(self, frame: rtc.AudioFrame) -> None:
        """A frame of the person has arrived."""
        ...

    def play(self, began: float, pcm: Pcm) -> None:
        """That was heard of the agent, from a moment on the loop's clock on."""
        ...

    def on_played(self, interrupted: bool) -> None:
        """What the agent said is over."""
        ...


class RecordedInput(io.AudioInput):
    """The person's sound."""

    def __init__(self, source: io.AudioInput, recorder: Recorder) -> None:
        super().__init__(label="recorded", source=source)
        self._recorder = recorder

    async def __anext__(self) -> rtc.AudioFrame:
        frame = await super().__anext__()
        self._recorder.hear(frame)
        return frame


class RecordedOutput(io.AudioOutput):
    """The agent's sound: what was given to be said is kept until the output says how much of it was heard, and when.

    An output may tell of stretches as they have been played. Of one that does not, what was played is known at the
    end, and where it was paused from those who paused it.
    """

    def __init__(self, output: io.AudioOutput, recorder: Recorder) -> None:
        super().__init__(label="recorded", capabilities=io.AudioOutputCapabilities(pause=True), next_in_chain=output)
        self._recorder = recorder
        self._begin_segment()

    def _begin_segment(self) -> None:
        self._given = bytearray()  # PCM16, from the sample `_told` on
        self._told = 0  # samples of the segment that the recorder knows of, or that were never heard
        self._since: float | None = None  # when the sample `_told` was heard, if it was
        self._paused: float | None = None
        self._whole = True  # nothing of it was too much

    @property
    def sample_rate(self) -> int | None:
        return self.next_in_chain.sample_rate if self.next_in_chain else None

    @property
    def since(self) -> float | None:
        return self._since

    def settle(self) -> None:
        """Tell of what was heard until now, as far as that can be guessed."""
        if self._since is not None:
            until = _now() if self._paused is None else self._paused
            self._tell(self._told, self._told + round((until - self._since) * RATE), self._since)

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        if self.next_in_chain:  # first: it waits there until the segment before it is over
            await self.next_in_chain.capture_frame(frame)
        await super().capture_frame(frame)
        self._whole = self._whole and len(self._given) < MOST_SEGMENT_S * RATE * WIDTH
        if self._whole:
            self._given += bytes(frame.data)

    def flush(self) -> None:
        super().flush()
        if self.next_in_chain:
            self.next_in_chain.flush()

    def clear_buffer(self) -> None:
        if self.next_in_chain:
            self.next_in_chain.clear_buffer()

    def pause(self) -> None:
        super().pause()
        if self._since is not None and self._paused is None:
            self._paused = _now()

    def resume(self) -> None:
        super().resume()
        if self._since is not None and self._paused is not None:
            heard = round((self._paused - self._since) * RATE)
            self._tell(self._told, self._told + heard, self._since)
            self._since, self._paused = _now(), None

    def on_playback_started(self, *, created_at: float) -> None:
        super().on_playback_started(created_at=created_at)
        if self._since is None:
            self._since = _on_loop(created_at)

    def on_playback_progressed(self, *, started_at: float, offset: float, duration: float) -> None:
        super().on_playback_progressed(started_at=started_at, offset=offset, duration=duration)
        first = round(offset * RATE)
        self._tell(first, first + round(duration * RATE), _on_loop(started_at))

    def on_playback_finished(
        self, *, playback_position: float, interrupted: bool, synchronized_transcript: str | None = None
    ) -> None:
        super().on_playback_finished(
            playback_position=playback_position,
            interrupted=interrupted,
            synchronized_transcript=synchronized_transcript,
        )
        if self._since is not None:
            self._tell(self._told, round(playback_position * RATE), self._since)
        self._begin_segment()
        self._recorder.on_played(interrupted)

    def _tell(self, first: int, last: int, began: float) -> None:
        """Tell of the samples from `first` to `last` of the segment, of which the first one was heard then."""
        skip = max(0, self._told - first)  # the recorder knows of it
        last = min(last, self._told + len(self._given) // WIDTH)
        if last <= self._told:
            return
        heard = bytes(self._given[WIDTH * max(0, first - self._told) : WIDTH * (last - self._told)])
        if heard:
            self._recorder.play(began + skip / RATE, np.frombuffer(heard, np.int16))
        self._since = began + (last - first) / RATE
        del self._given[: WIDTH * (last - self._told)]
        self._told = last


def _now() -> float:
    return asyncio.get_running_loop().time()


def _on_loop(wall: float) -> float:
    """A moment of the wall clock, on the loop's."""
    return _now() - (time.time() - wall)  # noqa: TID251 - LiveKit stamps its events with the wall clock
