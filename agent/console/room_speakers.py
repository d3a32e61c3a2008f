"""The sound of a room, mixed: each track is heard as it comes, a moment later."""

import threading

import numpy as np

from agent.console.loudspeaker import BYTES_PER_S

CUSHION_BYTES = round(0.04 * BYTES_PER_S)  # of a track, before it is played: what a slow thread may delay it
MOST_BYTES = round(0.4 * BYTES_PER_S)  # of a track; what is older has been missed


class RoomSpeakers:
    """Mixes tracks of PCM16, 24 kHz mono. `take` may be called in a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, bytearray] = {}
        self._playing: set[str] = set()

    def play(self, track: str, pcm: bytes) -> None:
        """Have this heard after what came of that track before."""
        with self._lock:
            waiting = self._waiting.setdefault(track, bytearray())
            waiting += pcm
            del waiting[: max(0, len(waiting) - MOST_BYTES)]
            if len(waiting) >= CUSHION_BYTES:
                self._playing.add(track)

    def drop(self, track: str) -> None:
        """Forget a track that has ended."""
        with self._lock:
            self._waiting.pop(track, None)
            self._playing.discard(track)

    def take(self, length: int) -> bytes:
        """Return the next `length` bytes of all tracks together; silence where there is nothing."""
        with self._lock:
            parts = [self._part(track, length) for track in tuple(self._playing)]
        mixed = sum((np.frombuffer(part, np.int16).astype(np.int32) for part in parts), np.zeros(length // 2, np.int32))
        return np.clip(mixed, -32_768, 32_767).astype(np.int16).tobytes()

    def _part(self, track: str, length: int) -> bytes:
        waiting = self._waiting[track]
        part = bytes(waiting[:length])
        del waiting[:length]
        if len(part) < length:
            self._playing.discard(track)
        return part.ljust(length, b"\0")
