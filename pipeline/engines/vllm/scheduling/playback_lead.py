"""How far a voice may be ahead of its playback, and when it goes on: in step with all other voices.

A Talker draws the frames of many voices in a step that takes little longer than a step for one of them. Who is far
ahead can wait for that: a voice on its own for three seconds of speech costs as much as eight voices together.
"""

import asyncio
from math import floor

from pipeline.types.chunks import FRAME_S

BEAT_FRAMES = 8  # for fewer, asking for each part costs a voice that goes on alone up to a quarter more
BEAT_S = BEAT_FRAMES * FRAME_S
CLOCK = 1e-6  # of a beat, by which a timer may be early


class PlaybackLead:
    """The lead of one answer: how much of it was drawn and has not been played, if nothing holds playback up.

    Playback begins with the first frame, and waits for frames that are late. A voice goes on at once as long as there
    is room for a beat's frames; else at the next beat, which is the same for all answers, with what there is room for:
    so it is a beat below its lead at the most. Until its first beat its lead is a beat less: where many begin at once,
    that leaves time for the first frames of each.

    Args:
        most_s: Of sound; 0: there is always room.
    """

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._limit_s = most_s - BEAT_S
        self._played = 0.0  # when all that was drawn will have been, on the loop's clock

    def drew(self, frames: int) -> None:
        """So many frames more are there to be played."""
        self._played = max(self._played, _now()) + frames * FRAME_S

    async def room(self, wanted: int) -> int:
        """Returns how many of the frames that are wanted may be drawn now, at least one."""
        if not self._most_s:
            return wanted
        least = min(wanted, BEAT_FRAMES)
        while self._room < least:
            await asyncio.sleep(_next_beat() - _now())
            least, self._limit_s = 1, self._most_s
        return min(wanted, self._room)

    @property
    def _room(self) -> int:
        return round((self._limit_s - max(self._played - _now(), 0.0)) / FRAME_S)


def _next_beat() -> float:
    return (floor(_now() / BEAT_S + CLOCK) + 1) * BEAT_S


def _now() -> float:
    return asyncio.get_running_loop().time()
