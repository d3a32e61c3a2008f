"""The pace at which the sound of an answer leaves: that of its playback, and a little ahead of it."""

import asyncio

from pipeline.types.chunks import AudioChunk

AHEAD_S = 1.5  # how far the sound that has left may be ahead of playback
GAP_S = 0.02  # shorter ones are hidden by whoever plays the sound


class PlaybackPace:
    """Lets pieces of sound leave in time, for a caller who plays them as they come.

    Attributes:
        gaps: How often sound came too late, so that playback had run dry.
    """

    def __init__(self) -> None:
        self.gaps = 0
        self._sent_ms = 0.0
        self._began: float | None = None  # on the loop's clock; later by every gap

    @property
    def played_ms(self) -> float:
        """How much would have been played by now if there were sound without end."""
        return 0.0 if self._began is None else (_now() - self._began) * 1000

    async def leave(self, pcm: bytes) -> tuple[float, float]:
        """Returns when a piece may leave: where in the answer's sound it begins and ends, in ms.

        Args:
            pcm: PCM16, 24 kHz mono.
        """
        begins_ms = self._sent_ms
        ends_ms = begins_ms + AudioChunk(pcm).duration_ms
        if self._began is None:
            self._began = _now()  # the first piece
        elif (late_s := _now() - self._began - begins_ms / 1000) > 0:  # playback has run dry
            self._began += late_s
            self.gaps += late_s >= GAP_S
        await asyncio.sleep(self._began + ends_ms / 1000 - AHEAD_S - _now())
        self._sent_ms = ends_ms
        return begins_ms, ends_ms


def _now() -> float:
    return asyncio.get_running_loop().time()
