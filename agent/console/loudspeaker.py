"""A loudspeaker for LiveKit: whatever plays takes the sound from it, piece by piece, from any thread."""

import asyncio
import threading
from collections.abc import Callable

from livekit import rtc
from livekit.agents.voice import io

from agent.livekit.media import RATE

BYTES_PER_S = 2 * RATE  # PCM16, mono


class Loudspeaker(io.AudioOutput):
    """Keeps what is to be heard until it is taken, tells when that begins and ends, can be paused and silenced.

    `take` may be called in a thread of its own. Everything else belongs to the event loop in which this was made.

    Args:
        wall_time: What LiveKit stamps its events with.
    """

    def __init__(self, wall_time: Callable[[], float]) -> None:
        super().__init__(label="loudspeaker", capabilities=io.AudioOutputCapabilities(pause=True), sample_rate=RATE)
        self._wall_time = wall_time
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()  # of all that follows
        self._waiting = bytearray()
        self._taken = 0
        self._open = self._flushed = self._paused = False
        self._segment, self._silenced = 0, -1

    def take(self, length: int) -> bytes:
        """Return the next `length` bytes to be heard; silence where there is nothing."""
        with self._lock:
            playing = self._open and not self._paused
            part = bytes(self._waiting[:length]) if playing else b""
            del self._waiting[: len(part)]
            if part and not self._taken:
                self._loop.call_soon_threadsafe(self._tell_started, self._segment, self._wall_time())
            self._taken += len(part)
            if playing and self._flushed and not self._waiting:
                self._loop.call_soon_threadsafe(self._tell_finished, self._close_segment(), False)
        return part.ljust(length, b"\0")

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        with self._lock:
            self._waiting += bytes(frame.data)
            self._open = True

    def flush(self) -> None:
        super().flush()
        with self._lock:
            self._flushed = self._open

    def clear_buffer(self) -> None:
        with self._lock:
            self._waiting.clear()
            if not self._open:
                return
            self._silenced = self._segment
            played_s = self._close_segment()
        self._tell_finished(played_s, True)

    def pause(self) -> None:
        super().pause()
        with self._lock:
            self._paused = True

    def resume(self) -> None:
        super().resume()
        with self._lock:
            self._paused = False

    def _close_segment(self) -> float:
        """End what is being played; returns how many seconds of it were."""
        played_s, self._taken = self._taken / BYTES_PER_S, 0
        self._open = self._flushed = False
        self._segment += 1
        return played_s

    def _tell_started(self, segment: int, moment: float) -> None:
        if segment > self._silenced:
            self.on_playback_started(created_at=moment)

    def _tell_finished(self, played_s: float, interrupted: bool) -> None:
        self.on_playback_finished(playback_position=played_s, interrupted=interrupted)
