"""The loop of Code2Wav's process: questions in, batches decoded, answers out."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.engines.child_messages import BusyCount, CountRequest, RequestDropped
from pipeline.engines.child_pipes import Inbox, Send, arrived
from pipeline.engines.code2wav.batches import WaitingChunk
from pipeline.engines.code2wav.messages import DecodedPcm, DecodeRequest, DropRequest
from pipeline.types.chunks import CODEBOOKS, FRAME_SAMPLES


class BatchDecoder(Protocol):
    """What makes sound of codes, for many streams at once."""

    def begin(self, slot: int) -> None:
        """The slot's next frame is the first of a stream."""
        ...

    def decode(self, slots: Sequence[int], codes: NDArray[np.int16], lengths: Sequence[int]) -> NDArray[np.int16]:
        """[batch, frames, codebooks], of which each row has as many frames as it is long → PCM16 [batch, samples]."""
        ...


def serve(decoder: BatchDecoder, inbox: Inbox, send: Send, slots: int) -> None:
    """Never returns: the process ends with its input."""
    waiting = WaitingChunk(slots)
    while True:
        for question in arrived(inbox, is_idle=not waiting):
            match question:
                case DecodeRequest():
                    waiting.add(question)
                case DropRequest(number, slot):
                    waiting.drop(slot)
                    send(RequestDropped(number))
                case CountRequest(number):
                    send(BusyCount(number, len(waiting)))
        for answer in _decoded(decoder, waiting.take()):
            send(answer)


def _decoded(decoder: BatchDecoder, batch: list[DecodeRequest]) -> Iterator[DecodedPcm]:
    if not batch:
        return
    for chunk in batch:
        if chunk.begins:
            decoder.begin(chunk.slot)
    rows = [np.frombuffer(chunk.frames, np.int16).reshape(-1, CODEBOOKS) for chunk in batch]
    lengths = [len(row) for row in rows]
    codes = np.zeros((len(rows), max(lengths), CODEBOOKS), np.int16)
    for filled, row in zip(codes, rows, strict=True):
        filled[: len(row)] = row
    waves = decoder.decode([chunk.slot for chunk in batch], codes, lengths).astype("<i2", copy=False)
    for chunk, wave, length in zip(batch, waves, lengths, strict=True):
        yield DecodedPcm(chunk.number, wave[: length * FRAME_SAMPLES].tobytes())
