"""Cuts codec frames into the chunks that are decoded at once: small ones first, then ever larger. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import ConfigError
from pipeline.types.chunks import CODEBOOKS, FRAME_S, CodecChunk

FRAME_MS = 1000 * FRAME_S
PACE_MS = 10.0  # in which a frame must be made and decoded at the latest, with all callers speaking
LARGEST = 300  # frames of a chunk, as many as the official package decodes at once

RAMP_KEYS = {"initial_codec_chunk_frames": int, "codec_chunk_frames": int, "codec_chunk_ramp": list}


@dataclass(frozen=True, slots=True)
class ChunkRamp:
    """How many frames the chunks of a sentence have, in order; the last size repeats.

    Raises:
        ConfigError: A size is no positive number.
    """

    sizes: tuple[int, ...] = (1, 2, 4, 8, 12, 25)

    def __post_init__(self) -> None:
        if not self.sizes or any(type(size) is not int or size < 1 for size in self.sizes):
            raise ConfigError("codec chunks", [f"{list(self.sizes)} is no list of whole numbers of at least 1"])

    def size(self, position: int) -> int:
        """Frames of a sentence's chunk that has `position` complete ones before it."""
        return self.sizes[min(position, len(self.sizes) - 1)]

    @property
    def slowest_ms(self) -> float:
        """The longest that each frame may take to be made and decoded, if playback that starts with the first
        chunk is never to wait.

        Chunk i, with which n_i frames are complete, is there (n_i - n_1) frame times after the first one, and is
        needed when n_(i-1) frames have been played. Once the last size repeats, that nears real time.
        """
        complete = list(accumulate((*self.sizes, self.sizes[-1])))
        bounds = (played * FRAME_MS / (needed - complete[0]) for played, needed in pairwise(complete))
        return min(FRAME_MS, *bounds)


WHOLE = ChunkRamp((1 << 62,))  # never cut but at the end of a sentence


def ramp_of(engine_args: Mapping[str, Any]) -> ChunkRamp:
    """The ramp that a deployment asks for: `codec_chunk_ramp` as it stands; or `initial_codec_chunk_frames` once and
    then `codec_chunk_frames` over and over.

    Raises:
        ConfigError: Lists what is wrong, a ramp with which playback would run dry among it.
    """
    initial, size, sizes = (engine_args.get(key) for key in RAMP_KEYS)
    if sizes is not None and (initial, size) != (None, None):
        raise ConfigError("codec chunks", ["`codec_chunk_ramp` says it all: leave `…codec_chunk_frames` out"])
    if initial is not None and size is None:
        raise ConfigError("codec chunks", ["`initial_codec_chunk_frames` needs `codec_chunk_frames` beside it"])
    if sizes is None:
        sizes = [each for each in (initial, size) if each is not None] or ChunkRamp().sizes
    ramp = ChunkRamp(tuple(sizes))
    if max(ramp.sizes) > LARGEST:
        raise ConfigError("codec chunks", [f"{list(ramp.sizes)} has a chunk of more than {LARGEST} frames"])
    if ramp.slowest_ms < PACE_MS:
        bound = f"unless a frame takes at most {ramp.slowest_ms:.1f} ms"
        raise ConfigError("codec chunks", [f"{list(ramp.sizes)} runs dry {bound}; let it grow more slowly"])
    return ramp


class FrameChunker:
    """Feed it frames as they are made. What it gives back are the same frames, each once and in order.

    A sentence is flushed at its end, and the next one begins the ramp anew. A text begins a chunk; what waits is
    flushed before it, and takes no step up the ramp, so that playback runs no risk once a complete chunk has left.
    """

    def __init__(self, ramp: ChunkRamp) -> None:
        self._ramp = ramp
        self._waiting: NDArray[np.int16] = np.zeros((0, CODEBOOKS), np.int16)
        self._text = ""
        self._position = 0  # complete chunks of this sentence
        self._is_open = False  # something of this sentence has left

    def feed(self, codes: CodecChunk) -> Iterator[CodecChunk]:
        """The chunks that are complete with `codes`."""
        if codes.text:
            yield from self.finish()
            self._text = codes.text
        self._waiting = np.concatenate([self._waiting, codes.frames])
        while len(self._waiting) >= (size := self._ramp.size(self._position)):
            is_last = codes.ends and len(self._waiting) == size
            yield self._take(size, is_last)
            if is_last:
                return
        if codes.ends and (len(self._waiting) or self._text or self._is_open):
            yield self._take(len(self._waiting), True)

    def finish(self) -> Iterator[CodecChunk]:
        """No more is to come: what has not left yet."""
        if len(self._waiting) or self._text:
            yield self._take(len(self._waiting), False)

    def _take(self, size: int, ends: bool) -> CodecChunk:
        chunk = CodecChunk(self._waiting[:size], self._text, ends)
        self._waiting, self._text = self._waiting[size:], ""
        is_complete = size == self._ramp.size(self._position)
        self._position = 0 if ends else self._position + is_complete
        self._is_open = not ends
        return chunk
